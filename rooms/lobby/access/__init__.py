"""Access: who is who, who may come into a room, and who may know of one."""
