"""What tests of rooms, of storages and of hosts are made with."""
