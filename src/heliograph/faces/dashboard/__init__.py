"""The dashboard: pages for people who have signed in. A page asks a service, and shows it."""
