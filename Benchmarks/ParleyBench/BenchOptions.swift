import Basics
import Foundation

/// The command line of `parley-bench`.
struct BenchOptions {
  /// Seconds that each figure is measured for.
  var seconds = 8
  /// How often each server has its turn.
  var rounds = 2
  /// Who is measured.
  var servers = ServerKind.allCases
  /// Only figures whose name contains this.
  var wanted: String?
  /// Whether receivers use GRO.
  var coalesces = false
  /// Whether to load the allocation counter into Parley.
  var countsAllocations = false
  /// Whether to measure memory and joins of the bare loop once more, and nothing else, for the turns that are kept.
  var addsBareJoins = false
  /// Packets a send of the bare loop; nil for as many as Parley had in the same figure.
  var burst: Double?
  /// Where everybody's sockets are. Janus ignores loopback: `Benchmarks/in-namespace` makes an address and names it in
  /// `BENCH_ADDRESS`.
  var address = IPAddress(v4: 0x7F00_0001)
  /// The file that measurements are added to.
  var results = ".build/bench-results.json"
  /// Where tables and plots go; nil for tables on standard output only.
  var report: String?

  struct Wrong: Error, CustomStringConvertible {
    var description: String
  }

  static let usage = """
    usage: parley-bench [--seconds N] [--rounds N] [--servers parley,janus,bare] [--figures TEXT] [--gro] [--allocations]
                        [--burst N] [--results FILE] [--report FOLDER]
           parley-bench --report-only | --bare-joins [--results FILE] [--report FOLDER]
    """

  init(_ arguments: [String]) throws {
    if let text = ProcessInfo.processInfo.environment["BENCH_ADDRESS"] {
      guard let ip = IPAddress(text) else {
        throw Wrong(description: "BENCH_ADDRESS: expected an address, got '\(text)'")
      }
      address = ip
    }
    var rest = arguments[...]
    func value(_ flag: String) throws -> String {
      guard let value = rest.popFirst() else { throw Wrong(description: "\(flag) needs a value\n\(Self.usage)") }
      return value
    }
    while let flag = rest.popFirst() {
      switch flag {
      case "--seconds": seconds = max(Int(try value(flag)) ?? seconds, 1)
      case "--rounds": rounds = max(Int(try value(flag)) ?? rounds, 1)
      case "--servers": servers = try value(flag).split(separator: ",").compactMap { ServerKind(rawValue: String($0)) }
      case "--figures": wanted = try value(flag)
      case "--gro": coalesces = true
      case "--allocations": countsAllocations = true
      case "--burst": burst = Double(try value(flag))
      case "--results": results = try value(flag)
      case "--report": report = try value(flag)
      case "--report-only": servers = []
      case "--bare-joins":
        servers = []
        addsBareJoins = true
      default: throw Wrong(description: "unknown option '\(flag)'\n\(Self.usage)")
      }
    }
    if address.isLoopback { servers.removeAll { $0 == .janus } }
    if !JanusServer.isInstalled { servers.removeAll { $0 == .janus } }
  }
}
