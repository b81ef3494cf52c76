"""A model of what a topology carries, and the points that were measured to check it by."""
