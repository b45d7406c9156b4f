"""Tasks and wiring. It knows the edges only as ports, and decides nothing: quiet rooms do."""
