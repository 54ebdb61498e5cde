import Glibc

/// Planets on tilted orbits around a sun that glows brighter while its source speaks. Night sides are dark, one planet
/// has a ring, one a moon.
final class PlanetsScene: TestScene {
  private struct Planet {
    var orbit: Float
    var radius: Float
    var period: Double
    var phase: Double
    var colour: Colour
    var band: Colour
    var hasRing = false
    var hasMoon = false
  }

  private static let tilt: Float = 0.36
  private static let planets = [
    Planet(orbit: 62, radius: 7, period: 5.1, phase: 0.1, colour: Colour(0xC9B7A2), band: Colour(0x9C8873)),
    Planet(orbit: 100, radius: 12, period: 8.3, phase: 0.55, colour: Colour(0xF0C27A), band: Colour(0xD9A25C)),
    Planet(
      orbit: 148, radius: 15, period: 12.7, phase: 0.3, colour: Colour(0x4F9BE8), band: Colour(0x7FD6A0), hasMoon: true),
    Planet(orbit: 196, radius: 11, period: 17.9, phase: 0.8, colour: Colour(0xE0684B), band: Colour(0xB44A36)),
    Planet(
      orbit: 258, radius: 22, period: 26.3, phase: 0.05, colour: Colour(0xE6CFA0), band: Colour(0xC8A878), hasRing: true
    ),
  ]

  private let backdrop: Backdrop
  private let unit: Float

  init(width: Int, height: Int) {
    let unit = min(Float(height) / 360, Float(width) / 640)
    self.unit = unit
    backdrop = Backdrop(width: width, height: height) { canvas in
      let size = SIMD2(Float(width), Float(height))
      canvas.gradient { x, y in
        let fx = x / size.x
        let fy = y / size.y
        let far = ((fx - 0.5) * (fx - 0.5) + (fy - 0.5) * (fy - 0.5)).squareRoot()
        let sky = Colour(0x1B1F4A).mixed(with: Colour(0x070818), min(1, far * 1.7))
        // Two clouds of far light.
        let one = max(0, 1 - ((fx - 0.16) * (fx - 0.16) * 9 + (fy - 0.75) * (fy - 0.75) * 5))
        let two = max(0, 1 - ((fx - 0.86) * (fx - 0.86) * 7 + (fy - 0.22) * (fy - 0.22) * 6))
        return sky.mixed(with: Colour(0x6A2C8A), one * one * 0.4).mixed(with: Colour(0x1F6E8C), two * two * 0.4)
      }
      for star in 0..<170 {
        let brightness = scatter(star, 3)
        canvas.disc(
          x: scatter(star, 1) * size.x, y: scatter(star, 2) * size.y,
          radius: (0.5 + brightness * brightness * 1.1) * max(unit, 0.6), Colour(star % 5 == 0 ? 0xFFE3C2 : 0xE4ECFF),
          alpha: 0.25 + brightness * 0.7)
      }
      for planet in Self.planets {
        let a = planet.orbit * unit
        let b = a * Self.tilt
        let steps = 120
        for step in 0..<steps {
          let from = Float(step) / Float(steps) * 2 * .pi
          let to = Float(step + 1) / Float(steps) * 2 * .pi
          canvas.line(
            x0: size.x / 2 + cos(from) * a, y0: size.y / 2 + sin(from) * b, x1: size.x / 2 + cos(to) * a,
            y1: size.y / 2 + sin(to) * b, thickness: 1.1 * unit, Colour(0x9DB2FF), alpha: 0.14)
        }
      }
    }
  }

  func draw(on canvas: Canvas, seconds: Double, voice: Float) {
    backdrop.draw(on: canvas)
    let centre = SIMD2(Float(canvas.width) / 2, Float(canvas.height) / 2)
    let placed = Self.planets.map { planet -> (planet: Planet, angle: Float) in
      (planet, Float((seconds / planet.period + planet.phase).truncatingRemainder(dividingBy: 1) * 2 * .pi))
    }.sorted { sin($0.angle) < sin($1.angle) }
    for item in placed where sin(item.angle) < 0 { draw(item.planet, at: item.angle, seconds, centre, canvas) }
    drawSun(centre, seconds, voice, canvas)
    for item in placed where sin(item.angle) >= 0 { draw(item.planet, at: item.angle, seconds, centre, canvas) }
  }

  private func drawSun(_ centre: SIMD2<Float>, _ seconds: Double, _ voice: Float, _ canvas: Canvas) {
    let beat = 1 + 0.03 * swing(seconds, period: 3) + 0.35 * voice
    canvas.glow(x: centre.x, y: centre.y, radius: 84 * unit * beat, Colour(0xFF9A3C), strength: 0.75)
    let radius = 27 * unit * (1 + 0.08 * voice)
    canvas.disc(x: centre.x, y: centre.y, radius: radius, Colour(0xFFC247))
    canvas.disc(x: centre.x, y: centre.y, radius: radius * 0.82, Colour(0xFFE08A))
    canvas.disc(x: centre.x, y: centre.y, radius: radius * 0.55, Colour(0xFFF6D8))
  }

  private func draw(_ planet: Planet, at angle: Float, _ seconds: Double, _ centre: SIMD2<Float>, _ canvas: Canvas) {
    let depth = sin(angle)
    let offset = SIMD2(cos(angle) * planet.orbit * unit, depth * planet.orbit * unit * Self.tilt)
    let position = centre + offset
    let radius = planet.radius * unit * (1 + 0.22 * depth)
    // From the planet towards the sun; planets in front of it show us their night side, though never wholly.
    let light = normalised(SIMD3(-cos(angle), -depth * Self.tilt, -depth * 0.7 + 0.45))
    if planet.hasRing { drawRing(position, radius, behind: true, canvas) }
    let body = planet.colour.yuv
    let band = planet.band.yuv
    let turn = Float(seconds.truncatingRemainder(dividingBy: 1000)) * 0.6
    canvas.paint(
      left: position.x - radius - 1, top: position.y - radius - 1, right: position.x + radius + 1,
      bottom: position.y + radius + 1
    ) { x, y in
      let dx = (x - position.x) / radius
      let dy = (y - position.y) / radius
      let square = dx * dx + dy * dy
      if square > 1.4 { return (0, body) }
      let dz = max(0, 1 - square).squareRoot()
      let shine = max(0, dx * light.x + dy * light.y + dz * light.z)
      let stripe = 0.5 + 0.5 * sin(dy * 9 + sin(dx * 2.4 + turn) * 1.1)
      let colour = body + (band - body) * stripe
      let lit = SIMD3(16, 128, 128) + (colour - SIMD3(16, 128, 128)) * (0.30 + 0.80 * shine)
      return (max(0, min(1, (1 - square.squareRoot()) * radius + 0.5)), lit)
    }
    if planet.hasRing { drawRing(position, radius, behind: false, canvas) }
    if planet.hasMoon {
      let moon = Float((seconds / 2.9).truncatingRemainder(dividingBy: 1) * 2 * .pi)
      canvas.disc(
        x: position.x + cos(moon) * radius * 2, y: position.y + sin(moon) * radius * 0.75, radius: radius * 0.26,
        Colour(0xDADDE6))
    }
  }

  /// One half of the ring: the upper passes behind the planet, the lower before it.
  private func drawRing(_ position: SIMD2<Float>, _ radius: Float, behind: Bool, _ canvas: Canvas) {
    let colour = Colour(0xD8C49A).yuv
    let outer = radius * 2.1
    let flat = Self.tilt * 0.9
    canvas.paint(
      left: position.x - outer, top: behind ? position.y - outer * flat : position.y, right: position.x + outer,
      bottom: behind ? position.y : position.y + outer * flat
    ) { x, y in
      if behind ? y > position.y : y <= position.y { return (0, colour) }
      let dx = (x - position.x) / outer
      let dy = (y - position.y) / (outer * flat)
      let far = (dx * dx + dy * dy).squareRoot()
      if far > 1 || far < 0.62 { return (0, colour) }
      let gap: Float = abs(far - 0.83) < 0.025 ? 0.25 : 1
      return (0.75 * gap * min(1, (1 - far) * 14) * min(1, (far - 0.62) * 14), colour)
    }
  }

  private func normalised(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    vector / max((vector * vector).sum().squareRoot(), 0.001)
  }
}
