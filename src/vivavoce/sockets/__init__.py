"""The two local sockets: who may come in, and how bytes get to and from `wire`."""
