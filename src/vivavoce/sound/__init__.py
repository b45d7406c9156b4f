"""Sound as numbers: rings, fades, positions, WAV headers, rates. No threads and no clocks."""
