import Foundation

extension BenchReport {
  /// The plots, each with the name of its file: of pictures that one sends to many, and of people who talk to each
  /// other.
  var plots: [(name: String, plot: Plot)] {
    var out: [(String, Plot)] = []
    for gro in [false, true] {
      let suffix = gro ? "-gro" : ""
      let who = gro ? "receivers with GRO" : "receivers without GRO"
      let video = results.figures(gro: gro).filter { $0.hasPrefix("video 1 →") }
      if video.count > 1 {
        let load = Load(figures: video, gro: gro, title: "Video", who: "One publisher, \(who). ", xLabel: "receivers")
        out += plots(load).map { ($0 + suffix, $1) }
      }
      let sound = results.figures(gro: gro).filter { $0.hasPrefix("audio") }
      if !sound.isEmpty {
        let load = Load(
          figures: sound, gro: gro, title: "Sound",
          who: "All talk, \(who); of 210 ten do, of 500 three are heard. ",
          xLabel: "receivers of each voice")
        out += plots(load).map { ("sound-" + $0 + suffix, $1) }
      }
    }
    return out
  }

  /// The load of a plot's points.
  private struct Load {
    var figures: [String]
    var gro: Bool
    var title: String
    var who: String
    var xLabel: String
  }

  private func plots(_ load: Load) -> [(String, Plot)] {
    [
      ("packets-per-cpu-second", throughput(load)), ("delay", delays(load)), ("memory", memory(load)),
      ("join", joins(load)),
    ]
  }

  private var note: String { "\(results.machine); commit \(results.commit), \(results.date)" }

  private static let colors: [ServerKind: Plot.Color] = [.parley: .blue, .janus: .orange, .bare: .gray]

  private func points(
    _ server: ServerKind, _ load: Load, twoWorkers: Bool = false, _ value: (RunSummary) -> Double?
  ) -> [(x: Double, y: Double)] {
    let figures = load.figures.filter { $0.hasSuffix("two workers") == twoWorkers }
    return figures.compactMap { results.summary(server, $0, gro: load.gro) }.compactMap { summary in
      value(summary).map { (Double(summary.receivers), $0) }
    }
  }

  /// One large meeting over two workers isn't a point of a line whose others are of one.
  private func twoWorkers(_ load: Load, _ value: (RunSummary) -> Double?) -> Plot.Series {
    Plot.Series(
      name: "two workers", color: .blue, isApart: true, points: points(.parley, load, twoWorkers: true, value),
      labels: .below)
  }

  private func throughput(_ load: Load) -> Plot {
    let series = [ServerKind.bare, .parley, .janus].map { server in
      Plot.Series(
        name: server == .bare ? "bare loop (encrypts and sends only)" : server.name,
        color: Self.colors[server] ?? .gray, isDashed: server == .bare,
        points: points(server, load) { $0.packetsPerCPUSecond / 1_000 },
        labels: server == .parley ? .below : .above)
    }
    return Plot(
      title: "\(load.title): packets forwarded per CPU second", note: load.who + note, xLabel: load.xLabel,
      yLabel: "thousand packets per CPU second",
      series: (series + [twoWorkers(load) { $0.packetsPerCPUSecond / 1_000 }]).filter { !$0.points.isEmpty }
    ) { $0 == $0.rounded() || $0 >= 100 ? String(format: "%.0f", $0) : String(format: "%.1f", $0) }
  }

  private func delays(_ load: Load) -> Plot {
    let series = [ServerKind.parley, .janus].flatMap { server in
      [
        Plot.Series(
          name: "\(server.name), p50", color: Self.colors[server] ?? .gray,
          points: points(server, load) { $0.delayP50 }, labels: server == .parley ? .below : .above),
        Plot.Series(
          name: "\(server.name), p99", color: Self.colors[server] ?? .gray, isDashed: true,
          points: points(server, load) { $0.delayP99 }, labels: server == .parley ? .below : .above),
      ]
    }
    let bare = Plot.Series(
      name: "bare loop, p50", color: .gray, points: points(.bare, load) { $0.delayP50 }, labels: .none)
    return Plot(
      title: "\(load.title): delay from publisher to receiver", note: load.who + note, xLabel: load.xLabel,
      yLabel: "delay in ms, logarithmic", isLogarithmic: true,
      series: (series + [bare, twoWorkers(load) { $0.delayP50 }]).filter { !$0.points.isEmpty }
    ) { $0 >= 10 ? String(format: "%.0f", $0) : $0 >= 1 ? String(format: "%.1f", $0) : String(format: "%.2f", $0) }
  }

  private func memory(_ load: Load) -> Plot {
    Plot(
      title: "\(load.title): resident memory a participant", note: load.who + note, xLabel: load.xLabel,
      yLabel: "KiB a participant, above the idle server",
      series: all(load, bare: "bare handshakes") { $0.hasJoins ? $0.residentEach : nil }
    ) { String(format: "%.0f", $0) }
  }

  private func joins(_ load: Load) -> Plot {
    Plot(
      title: "\(load.title): time to join one after the other, median", note: load.who + note,
      xLabel: load.xLabel, yLabel: "ms until keys and path are there",
      series: all(load, bare: "bare DTLS handshake") { $0.hasJoins ? $0.joinP50 : nil }
    ) { $0 == $0.rounded() || $0 >= 10 ? String(format: "%.0f", $0) : String(format: "%.1f", $0) }
  }

  private func all(_ load: Load, bare: String, _ value: (RunSummary) -> Double?) -> [Plot.Series] {
    let apart = results.bareJoinsAreApart == true ? ", measured apart" : ""
    let lines = [ServerKind.bare, .parley, .janus].map { server in
      Plot.Series(
        name: server == .bare ? bare + apart : server.name, color: Self.colors[server] ?? .gray,
        isDashed: server == .bare, points: points(server, load, value), labels: server == .parley ? .below : .above)
    }
    return (lines + [twoWorkers(load, value)]).filter { !$0.points.isEmpty }
  }
}
