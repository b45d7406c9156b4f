"""Benchmarks: each module here with a `run` tells figures, beside the goal of each."""
