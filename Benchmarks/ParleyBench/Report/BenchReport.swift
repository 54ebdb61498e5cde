import Foundation

/// The tables and plots of what was measured.
struct BenchReport {
  let results: BenchResults

  init(_ results: BenchResults) { self.results = results }

  /// Writes `figures.md` and the plots to `folder`.
  func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try markdown.write(toFile: folder + "/figures.md", atomically: true, encoding: .utf8)
    for (name, plot) in plots { try plot.svg.write(toFile: "\(folder)/\(name).svg", atomically: true, encoding: .utf8) }
  }

  var markdown: String {
    var out =
      "# Measured figures\n\n\(results.machine); commit \(results.commit.isEmpty ? "unknown" : results.commit), "
    out += "\(results.date).\n"
    for command in results.commands { out += "\n    \(command)\n" }
    for gro in [false, true] where !results.figures(gro: gro).isEmpty {
      out += "\n## Receivers \(gro ? "with GRO, as Swift clients have it" : "without GRO, like browsers")\n"
      out += speed(gro: gro) + participants(gro: gro)
    }
    if let start = results.startMilliseconds, let idle = results.idleMebibytes {
      out += String(format: "\nStart to ready: %.0f ms (median of 5). Resident memory idle: %.1f MiB.\n", start, idle)
    }
    for (name, plot) in plots { out += "\n![\(plot.title)](\(name).svg)\n" }
    return out
  }

  // MARK: Tables

  private func speed(gro: Bool) -> String {
    var rows = [
      "",
      "| figure | **Parley ÷ Janus**, packets per CPU second | Parley ÷ bare loop, CPU | Parley, µs CPU a packet | Janus "
        + "| bare loop | Parley, delay p50 / p99 | Janus | bare loop | packets a send | missing: Parley, Janus |",
      "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for figure in results.figures(gro: gro) {
      let parley = results.summary(.parley, figure, gro: gro)
      let janus = results.summary(.janus, figure, gro: gro)
      let bare = results.summary(.bare, figure, gro: gro)
      let cells = [
        figure, "**" + ratio(janus?.microseconds, parley?.microseconds) + "**",
        ratio(parley?.microseconds, bare?.microseconds), cost(parley), cost(janus), cost(bare), delay(parley),
        delay(janus), delay(bare), parley?.burst.map { String(format: "%.1f", $0) } ?? "–",
        loss(parley) + ", " + loss(janus),
      ]
      rows.append("| " + cells.joined(separator: " | ") + " |")
    }
    return rows.joined(separator: "\n") + "\n"
  }

  private func participants(gro: Bool) -> String {
    var rows = [
      "",
      "| figure | resident KiB a participant (PSS): Parley | Janus | bare handshakes, each | join, ms p50: Parley | Janus "
        + "| bare handshake | cores used by others |",
      "|---|---|---|---|---|---|---|---|",
    ]
    for figure in results.figures(gro: gro) {
      let parley = results.summary(.parley, figure, gro: gro)
      let janus = results.summary(.janus, figure, gro: gro)
      let bare = results.summary(.bare, figure, gro: gro)
      let cells = [
        figure, memory(parley), memory(janus), memory(bare), join(parley), join(janus), join(bare),
        [parley, janus].map { $0.map { String(format: "%.2f", $0.otherCores) } ?? "–" }.joined(separator: ", "),
      ]
      rows.append("| " + cells.joined(separator: " | ") + " |")
    }
    if results.bareJoinsAreApart == true {
      rows.append("\nThe bare handshakes were measured apart, after the rest (`parley-bench --bare-joins`).")
    }
    return rows.joined(separator: "\n") + "\n"
  }

  private func ratio(_ a: Double?, _ b: Double?) -> String {
    guard let a, let b, b > 0 else { return "–" }
    return String(format: "%.2f", a / b)
  }

  private func cost(_ summary: RunSummary?) -> String {
    guard let summary else { return "–" }
    return String(
      format: "%.2f (%.2f–%.2f)", summary.microseconds, summary.range.lowerBound, summary.range.upperBound)
  }

  private func delay(_ summary: RunSummary?) -> String {
    summary.map { String(format: "%.2f / %.2f ms", $0.delayP50, $0.delayP99) } ?? "–"
  }

  private func join(_ summary: RunSummary?) -> String {
    guard let summary, summary.hasJoins else { return "–" }
    return String(format: summary.joinP50 < 10 ? "%.1f" : "%.0f", summary.joinP50)
  }

  private func memory(_ summary: RunSummary?) -> String {
    guard let summary, summary.hasJoins else { return "–" }
    return String(format: "%.0f (%.0f)", summary.residentEach, summary.proportionalEach)
  }

  private func loss(_ summary: RunSummary?) -> String {
    guard let summary else { return "–" }
    return "\(summary.missing)" + (summary.damaged > 0 ? " and \(summary.damaged) damaged" : "")
  }
}
