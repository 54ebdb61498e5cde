import Basics

/// A media server that is measured: a process of its own, driven through its own signalling.
protocol ServerUnderTest: AnyObject {
  var process: MeasuredProcess { get }
  /// Brings all connections of a scenario up, as far as signalling goes.
  func join(_ scenario: Scenario, trace: PacketTrace, engine: LoadEngine) async throws
  /// Lets all clients leave.
  func leave() async
  /// Datagrams sent and the system calls that sent them, so far; nil where the server does not say.
  func sending() async -> (datagrams: Int, calls: Int)?
  /// Ends the process and removes what it left behind.
  func stop()
}

enum ServerKind: String, Codable, CaseIterable {
  /// `parley serve` of this tree, release build.
  case parley
  /// Janus with its VideoRoom plugin, one event loop.
  case janus
  /// Nothing but encryption and sending: see ``BareSender``.
  case bare

  /// The name in tables.
  var name: String {
    switch self {
    case .parley: "Parley"
    case .janus: "Janus"
    case .bare: "bare loop"
    }
  }
}
