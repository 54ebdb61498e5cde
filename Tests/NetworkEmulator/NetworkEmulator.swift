/// Loss, delay, jitter and bottlenecks in virtual time, for tests and benchmarks.
public struct NetworkEmulator {}
