import Basics
import Foundation

/// The command line of `parley-bench`.
struct BenchOptions {
  /// Seconds that each figure is measured for.
  var seconds = 8
  /// How often each server has its turn.
  var rounds = 2
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
  /// The address of everybody's sockets. Janus ignores loopback: `Benchmarks/in-namespace` makes an address and names
  /// it in `BENCH_ADDRESS`.
  var address = IPAddress(v4: 0x7F00_0001)
  /// The file that measurements are added to.
  var results = ".build/bench-results.json"
  /// The folder of tables and plots; nil for tables on standard output only.
  var report: String?

  struct Wrong: Error, CustomStringConvertible {
    var description: String
  }

  static let usage = """
    Measures the release server of this tree beside Janus and a bare loop that only encrypts and sends. docs/benchmarks.md says how.

    usage: parley-bench [options]

      --servers LIST    who is measured: \(ServerKind.allCases.map(\.rawValue).joined(separator: ",")) (default: all that are installed)
      --figures TEXT    only figures whose name contains TEXT, of these:
                        \(Scenario.all.map(\.name).joined(separator: "\n                    "))
      --seconds N       for how long each figure is measured (default 8)
      --rounds N        how often each server has its turn (default 2)
      --gro             receivers use GRO
      --allocations     count Parley's allocations (needs .build/allocation-counter.so, see `make bench`)
      --burst N         packets a send of the bare loop (default: as many as Parley had in the same figure)
      --results FILE    where measurements are added (default .build/bench-results.json)
      --report FOLDER   write tables and plots there (default: tables on standard output)
      --report-only     measure nothing, make tables and plots of what was measured
      --bare-joins      measure only memory and joins of the bare loop, once more
      --help, -h        this text

    BENCH_ADDRESS names the address for everybody's sockets; Janus ignores loopback. `make bench` sets all of it up.
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
