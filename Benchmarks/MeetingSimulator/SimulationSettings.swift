/// The settings of a simulation; every value can be given as `--name value`.
struct SimulationSettings {
  /// How machines are connected.
  enum Topology: String {
    /// Every worker with every worker, whatever machine it is on.
    case mesh
    /// Workers of a machine with each other, and one of each machine with one of each other machine.
    case gateway
  }

  var participants = 10_000
  var machines = 4
  var workers = 8
  /// Cameras; everybody watches all of them.
  var videos = 2
  var microphones = 200
  /// How many of them talk at a time, at most.
  var talkers = 3
  var audioLoudest = 5
  var topology = Topology.gateway
  /// One packet in this many is lost on the way to a receiver, who asks for it again; 0 for none.
  var lossInterval = 400
  /// Nanoseconds of a core that a forwarded packet of pictures and of sound costs in the real server, sockets and
  /// ciphers included: in docs/benchmarks/figures.md the rows of one meeting over two workers, 1 → 500 and 500 ↔ 500.
  var videoNanoseconds = 4_790.0
  var soundNanoseconds = 10_820.0
  /// Milliseconds that packets wait in each worker for others to leave with, 0 to 5.
  var hold = 0
  /// Seconds of virtual time that are measured while nothing changes.
  var steadySeconds = 2
  var seed: UInt64 = 1

  static let usage = """
    Simulates one meeting over many machines in virtual time, with the real routers. docs/scale.md has its tables.

    usage: meeting-simulator [--topology mesh|gateway] [--NAME NUMBER]…

    NAME is one of participants, machines, workers, videos, microphones, talkers, audio-loudest, loss-interval, hold, video-ns, sound-ns,
    steady-seconds and seed.
    """

  var routers: Int { machines * workers }

  mutating func apply(_ arguments: [String]) -> String? {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { return "\(name) needs a value" }
      switch name {
      case "--topology":
        guard let topology = Topology(rawValue: value) else { return "--topology is mesh or gateway" }
        self.topology = topology
      default:
        guard let number = Int(value), number >= 0 else { return "\(name) needs a number" }
        switch name {
        case "--participants": participants = max(number, 1)
        case "--machines": machines = max(number, 1)
        case "--workers": workers = max(number, 1)
        case "--videos": videos = number
        case "--microphones": microphones = number
        case "--talkers": talkers = number
        case "--audio-loudest": audioLoudest = number
        case "--loss-interval": lossInterval = number
        case "--hold": hold = min(number, 5)
        case "--video-ns": videoNanoseconds = Double(number)
        case "--sound-ns": soundNanoseconds = Double(number)
        case "--steady-seconds": steadySeconds = max(number, 1)
        case "--seed": seed = UInt64(number)
        default: return "\(name) is unknown"
        }
      }
    }
    return nil
  }
}

/// SplitMix64, so that a run can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
