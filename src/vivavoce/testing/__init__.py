"""Public fakes of the ports, for tests and benchmarks."""
