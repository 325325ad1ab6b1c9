"""Files: documents and attachments of a room."""
