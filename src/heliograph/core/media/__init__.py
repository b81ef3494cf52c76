"""Pictures and files: received, checked, kept in object storage, served through signed links."""
