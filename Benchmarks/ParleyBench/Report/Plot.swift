import Foundation

/// A line plot as SVG text: axes with units, a legend, a value at each point. It follows the reader's light or dark
/// setting.
struct Plot {
  /// The place of the values of a line.
  enum Labels {
    case above, below, none
  }

  struct Series {
    var name: String
    var color: Color
    /// Dashed lines mark the second of two values.
    var isDashed = false
    /// Whether the points stand alone, as hollow circles: measured in another way than a line they would be part of.
    var isApart = false
    var points: [(x: Double, y: Double)]
    /// The place of the values.
    var labels = Labels.above
  }

  /// Colours that can be told apart on white, on black and by most who see colours differently.
  enum Color: String {
    case blue = "#2f81f7"
    case orange = "#e3742f"
    case gray = "#8b949e"
  }

  var title: String
  /// The machine and the commit of the measurement.
  var note: String
  var xLabel: String
  var yLabel: String
  /// Whether the vertical axis is logarithmic; it begins at zero otherwise.
  var isLogarithmic = false
  var series: [Series]
  /// How a value is written.
  var format: (Double) -> String

  private static let width = 760.0
  private static let height = 440.0
  private static let area = (left: 78.0, right: 736.0, top: 86.0, bottom: 368.0)

  var svg: String {
    var out = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
      font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="13">
      <title>\(Self.escaped(title))</title>
      <style>
      .paper { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .grid { stroke: #d1d9e0 } .axis { stroke: #59636e }
      .halo { stroke: #ffffff }
      @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117 } .ink { fill: #f0f6fc } .soft { fill: #9198a1 } .grid { stroke: #30363d } .axis { stroke: #9198a1 }
      .halo { stroke: #0d1117 }
      }
      </style>
      <rect class="paper" width="100%" height="100%" rx="6"/>

      """
    out += text(title, x: 20, y: 30, size: 17, weight: "600")
    out += text(note, x: 20, y: Self.height - 12, size: 11, style: "soft")
    out += axes()
    for line in series { out += path(line) }
    out += legend()
    return out + "</svg>\n"
  }

  // MARK: Scales

  private var xs: [Double] { Set(series.flatMap { $0.points.map(\.x) }).sorted() }

  /// Numbers of receivers stand at even distances by their logarithm.
  private func x(_ value: Double) -> Double {
    guard let low = xs.first, let high = xs.last, high > low else { return (Self.area.left + Self.area.right) / 2 }
    let share = (log(value) - log(low)) / (log(high) - log(low))
    return Self.area.left + 34 + share * (Self.area.right - Self.area.left - 68)
  }

  private var yTicks: [Double] {
    let values = series.flatMap { $0.points.map(\.y) }
    let top = max(values.max() ?? 1, 1e-9)
    if isLogarithmic {
      let low = Int(log10(max(values.min() ?? 1, 1e-9)).rounded(.down))
      let high = Int(log10(top).rounded(.up))
      return (min(low, high - 1)...high).map { pow(10, Double($0)) }
    }
    let rough = top * 1.12 / 5
    let unit = pow(10, log10(rough).rounded(.down))
    let step = [1, 2, 2.5, 5, 10].map { $0 * unit }.first { $0 >= rough } ?? rough
    return (0...Int((top * 1.12 / step).rounded(.up))).map { Double($0) * step }
  }

  private func y(_ value: Double) -> Double {
    let ticks = yTicks
    guard let low = ticks.first, let high = ticks.last, high > low else { return Self.area.bottom }
    let share =
      isLogarithmic ? (log(max(value, low)) - log(low)) / (log(high) - log(low)) : (value - low) / (high - low)
    return Self.area.bottom - share * (Self.area.bottom - Self.area.top)
  }

  // MARK: Parts

  private func axes() -> String {
    let area = Self.area
    var out = ""
    for tick in yTicks {
      out += line(area.left, y(tick), area.right, y(tick), style: "grid")
      out += text(format(tick), x: area.left - 8, y: y(tick) + 4, size: 12, style: "soft", anchor: "end")
    }
    out += line(area.left, area.bottom, area.right, area.bottom, style: "axis")
    for value in xs {
      out += line(x(value), area.bottom, x(value), area.bottom + 5, style: "axis")
      out += text("\(Int(value))", x: x(value), y: area.bottom + 20, size: 12, style: "soft", anchor: "middle")
    }
    out += text(xLabel, x: (area.left + area.right) / 2, y: area.bottom + 40, size: 13, anchor: "middle")
    out += """
      <text class="ink" font-size="13" text-anchor="middle" \
      transform="translate(18 \(number((area.top + area.bottom) / 2))) rotate(-90)">\(Self.escaped(yLabel))</text>

      """
    return out
  }

  private func path(_ series: Series) -> String {
    let points = series.points.sorted { $0.x < $1.x }
    let places = points.map { "\(number(x($0.x))),\(number(y($0.y)))" }.joined(separator: " ")
    let dash = series.isDashed ? " stroke-dasharray=\"6 4\"" : ""
    var out =
      series.isApart
      ? ""
      : "<polyline fill=\"none\" stroke=\"\(series.color.rawValue)\" stroke-width=\"2.2\"\(dash) points=\"\(places)\"/>\n"
    for point in points {
      out += circle(x(point.x), y(point.y), of: series)
      if series.labels == .none { continue }
      let offset = series.labels == .below ? 17.0 : -9
      out += """
        <text class="ink halo" paint-order="stroke" stroke-width="3" font-size="11.5" text-anchor="middle" \
        x="\(number(x(point.x)))" y="\(number(y(point.y) + offset))">\(format(point.y))</text>

        """
    }
    return out
  }

  private func legend() -> String {
    var out = ""
    var left = 20.0
    for item in series {
      let dash = item.isDashed ? " stroke-dasharray=\"6 4\"" : ""
      out +=
        item.isApart
        ? circle(left + 20, 54, of: item)
        : """
        <line x1="\(number(left))" y1="54" x2="\(number(left + 26))" y2="54" stroke="\(item.color.rawValue)" \
        stroke-width="2.6"\(dash)/>

        """
      out += text(item.name, x: left + 33, y: 58, size: 13)
      left += 33 + Double(item.name.count) * 7.2 + 8
    }
    return out
  }

  private func circle(_ x: Double, _ y: Double, of series: Series) -> String {
    let fill = series.isApart ? "class=\"paper\"" : "fill=\"\(series.color.rawValue)\""
    return
      "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"3.4\" \(fill) stroke=\"\(series.color.rawValue)\" stroke-width=\"2\"/>\n"
  }

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) -> String {
    "<line class=\"\(style)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>\n"
  }

  private func text(
    _ text: String, x: Double, y: Double, size: Double, style: String = "ink", weight: String = "400",
    anchor: String = "start"
  ) -> String {
    """
    <text class="\(style)" x="\(number(x))" y="\(number(y))" font-size="\(number(size))" font-weight="\(weight)" \
    text-anchor="\(anchor)">\(Self.escaped(text))</text>

    """
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
