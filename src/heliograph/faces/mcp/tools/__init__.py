"""The tools, a file per noun: each of the API's operations, and what else finishes a job."""
