"""Places where a person hears us: the desk's sound card, a file, and nowhere in real time."""
