import Foundation

extension BenchReport {
  /// The plots, each with the name of its file.
  var plots: [(name: String, plot: Plot)] {
    var out: [(String, Plot)] = []
    for gro in [false, true] {
      let figures = results.figures(gro: gro).filter { $0.hasPrefix("video 1 →") }
      guard figures.count > 1 else { continue }
      let suffix = gro ? "-gro" : ""
      let who = gro ? "receivers with GRO" : "receivers without GRO"
      out.append(("packets-per-cpu-second" + suffix, throughput(figures, gro, who)))
      out.append(("delay" + suffix, delays(figures, gro, who)))
      out.append(("memory" + suffix, memory(figures, gro, who)))
      out.append(("join" + suffix, joins(figures, gro, who)))
    }
    return out
  }

  private var note: String { "\(results.machine); commit \(results.commit), \(results.date)" }

  private static let colors: [ServerKind: Plot.Color] = [.parley: .blue, .janus: .orange, .bare: .gray]

  private func points(
    _ server: ServerKind, _ figures: [String], _ gro: Bool, _ value: (RunSummary) -> Double
  ) -> [(x: Double, y: Double)] {
    figures.compactMap { results.summary(server, $0, gro: gro) }.map { (Double($0.receivers), value($0)) }
  }

  private func throughput(_ figures: [String], _ gro: Bool, _ who: String) -> Plot {
    let series = [ServerKind.bare, .parley, .janus].map { server in
      Plot.Series(
        name: server == .bare ? "bare loop (encrypts and sends only)" : server.name,
        color: Self.colors[server] ?? .gray, isDashed: server == .bare,
        points: points(server, figures, gro) { $0.packetsPerCPUSecond / 1_000 },
        labels: server == .parley ? .below : .above)
    }
    return Plot(
      title: "Video packets forwarded per CPU second", note: "One publisher, \(who). " + note, xLabel: "receivers",
      yLabel: "thousand packets per CPU second", series: series.filter { !$0.points.isEmpty }
    ) { $0 == $0.rounded() || $0 >= 100 ? String(format: "%.0f", $0) : String(format: "%.1f", $0) }
  }

  private func delays(_ figures: [String], _ gro: Bool, _ who: String) -> Plot {
    let series = [ServerKind.parley, .janus].flatMap { server in
      [
        Plot.Series(
          name: "\(server.name), p50", color: Self.colors[server] ?? .gray,
          points: points(server, figures, gro) { $0.delayP50 }, labels: server == .parley ? .below : .above),
        Plot.Series(
          name: "\(server.name), p99", color: Self.colors[server] ?? .gray, isDashed: true,
          points: points(server, figures, gro) { $0.delayP99 }, labels: server == .parley ? .below : .above),
      ]
    }
    let bare = Plot.Series(
      name: "bare loop, p50", color: .gray, points: points(.bare, figures, gro) { $0.delayP50 }, labels: .none)
    return Plot(
      title: "Delay from publisher to receiver", note: "One publisher, \(who). " + note, xLabel: "receivers",
      yLabel: "delay in ms, logarithmic", isLogarithmic: true,
      series: (series + [bare]).filter { !$0.points.isEmpty }
    ) { $0 >= 10 ? String(format: "%.0f", $0) : $0 >= 1 ? String(format: "%.1f", $0) : String(format: "%.2f", $0) }
  }

  private func memory(_ figures: [String], _ gro: Bool, _ who: String) -> Plot {
    Plot(
      title: "Resident memory a participant", note: "One publisher, \(who). " + note, xLabel: "receivers",
      yLabel: "KiB a participant, above the idle server", series: bothServers(figures, gro) { $0.residentEach }
    ) { String(format: "%.0f", $0) }
  }

  private func joins(_ figures: [String], _ gro: Bool, _ who: String) -> Plot {
    Plot(
      title: "Time to join, median", note: "One publisher, \(who); they join one after the other. " + note,
      xLabel: "receivers", yLabel: "ms until keys and path are there", series: bothServers(figures, gro) { $0.joinP50 }
    ) { String(format: "%.0f", $0) }
  }

  private func bothServers(
    _ figures: [String], _ gro: Bool, _ value: (RunSummary) -> Double
  ) -> [Plot.Series] {
    [ServerKind.parley, .janus].map { server in
      Plot.Series(
        name: server.name, color: Self.colors[server] ?? .gray, points: points(server, figures, gro, value),
        labels: server == .parley ? .below : .above)
    }.filter { !$0.points.isEmpty }
  }
}
