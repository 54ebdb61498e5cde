import Basics
import Foundation
import SFU

/// Prints at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Tables of what links and cores carried.
enum SimulationReport {
  static func format(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }

  private static func spread(_ values: [Double], _ digits: Int = 0) -> String {
    guard let low = values.min(), let high = values.max() else { return "–" }
    let mean = values.reduce(0, +) / Double(values.count)
    return "\(format(low, digits)) / \(format(mean, digits)) / \(format(high, digits))"
  }

  static func percentile(_ values: [Double], _ share: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
  }

  /// Prints the cost of the last `seconds` of virtual time.
  static func print(_ title: String, _ cluster: SimulatedCluster, seconds: Double) {
    let settings = cluster.settings
    let alive = cluster.workers.filter { !$0.isLost }
    say("\n### \(title)\n")
    say("| what | lowest / mean / highest |")
    say("|---|---|")
    let packets = alive.map { Double($0.counts.packets) / seconds }
    say("| packets a second out of a worker | \(spread(packets)) |")
    say("| Mb/s out of a worker | \(spread(alive.map { Double($0.counts.bytes) * 8 / seconds / 1e6 })) |")
    say("| datagrams a second into a worker | \(spread(alive.map { Double($0.counts.datagramsIn) / seconds })) |")
    say("| relayed records a second into a worker | \(spread(alive.map { Double($0.counts.records) / seconds })) |")
    let sound = alive.map { Double($0.counts.soundPackets) / seconds }
    say("| of them packets of sound | \(spread(sound)) |")
    let shares = zip(packets, sound).map { all, sound in
      ((all - sound) * settings.videoNanoseconds + sound * settings.soundNanoseconds) / 1e7
    }
    say(
      "| share of a core at \(format(settings.videoNanoseconds)) ns a packet of pictures and "
        + "\(format(settings.soundNanoseconds)) of sound, % | \(spread(shares, 1)) |")
    let router = alive.map(\.counts.routerNanoseconds).reduce(0, +)
    let total = alive.map(\.counts.packets).reduce(0, +)
    say("| of it routing alone, ns a packet on this machine | \(format(Double(router) / Double(max(total, 1)))) |")
    let near = cluster.wires.filter { $0.from.machine == $0.to.machine }
    if !near.isEmpty { say("| Mb/s over a ring | \(spread(near.map { Double($0.bytes) * 8 / seconds / 1e6 }, 2)) |") }
    var links: [Int: (records: Double, bytes: Double)] = [:]
    for wire in cluster.wires where wire.from.machine != wire.to.machine {
      let key = wire.from.machine * 1_000 + wire.to.machine
      links[key, default: (0, 0)].records += Double(wire.records)
      links[key, default: (0, 0)].bytes += Double(wire.bytes)
    }
    if !links.isEmpty {
      say("| packets a second from one machine to another | \(spread(links.values.map { $0.records / seconds })) |")
      say("| Mb/s from one machine to another | \(spread(links.values.map { $0.bytes * 8 / seconds / 1e6 }, 2)) |")
    }
    let machines = Dictionary(grouping: alive, by: \.machine).values
    let out = machines.map { $0.map { Double($0.counts.bytes) * 8 / seconds / 1e9 }.reduce(0, +) }
    say("| Gb/s out of a machine, to participants | \(spread(out, 2)) |")
    let updates = alive.map(\.counts.slotUpdates).reduce(0, +)
    say("| `slots` messages a second, all machines | \(format(Double(updates) / seconds)) |")
    let onsets = alive.flatMap(\.onsets).map { Double($0.microseconds) / 1_000 }
    if !onsets.isEmpty {
      say(
        "| a talker's first slot on a worker, ms after the first sound: p50, p99 of \(onsets.count) | "
          + "\(format(percentile(onsets, 0.5))), \(format(percentile(onsets, 0.99))) |")
    }
    let dropped = cluster.wires.map { Int($0.output.counters.packetsDropped) }.reduce(0, +)
    let refused = alive.map { Int($0.router.counters.retransmissionsMissing) }.reduce(0, +)
    let resent = alive.map { Int($0.router.counters.retransmissions) }.reduce(0, +)
    say(
      "| so far: packets dropped at full rings; sent again; asked for and not there | \(dropped); \(resent); \(refused) |"
    )
  }

  static func printDelays(_ title: String, _ values: [Double], of total: Int) {
    say(
      "| \(title) | \(values.count) of \(total) | \(format(percentile(values, 0.5))) | \(format(percentile(values, 0.9)))"
        + " | \(format(percentile(values, 0.99))) | \(format(values.max() ?? 0)) |")
  }
}
