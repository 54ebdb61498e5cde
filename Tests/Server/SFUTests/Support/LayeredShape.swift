@testable import RTC

/// The mark that a test writes behind the codec's own header, so that a receiver knows whether all that a frame needs
/// has come.
struct FrameMark: Hashable {
  static let length = 16
  /// The source that made it.
  var source: UInt8
  /// The frame's number in its source.
  var frame: Int
  var spatial: UInt8
  var temporal: UInt8
  var part: UInt8
  var parts: UInt8
  /// The frames it needs.
  var needs: [Int]

  var bytes: [UInt8] {
    var bytes: [UInt8] = [
      source, UInt8(frame >> 8 & 0xFF), UInt8(frame & 0xFF), spatial, temporal, part, parts, UInt8(needs.count),
    ]
    for need in needs { bytes += [UInt8(need >> 8 & 0xFF), UInt8(need & 0xFF)] }
    return bytes + [UInt8](repeating: 0, count: Self.length - bytes.count)
  }

  init(source: UInt8, frame: Int, spatial: Int, temporal: Int, part: Int, parts: Int, needs: [Int]) {
    self.source = source
    self.frame = frame
    self.spatial = UInt8(spatial)
    self.temporal = UInt8(temporal)
    self.part = UInt8(part)
    self.parts = UInt8(parts)
    self.needs = needs
  }

  /// The mark at the end of a payload.
  init?(_ payload: [UInt8]) {
    guard payload.count >= Self.length else { return nil }
    let b = Array(payload.suffix(Self.length))
    guard b[7] <= 4 else { return nil }
    source = b[0]
    frame = Int(b[1]) << 8 | Int(b[2])
    spatial = b[3]
    temporal = b[4]
    part = b[5]
    parts = b[6]
    needs = (0..<Int(b[7])).map { Int(b[8 + $0 * 2]) << 8 | Int(b[9 + $0 * 2]) }
  }
}

/// Makes the pictures of a layered stream as encoders do, with dependencies that are written into each frame.
///
/// In time the pattern is the eight pictures T0 T2 T1 T2 T0 T2 T1 T2, in which the second T1 needs the first one, so
/// that not every T1 is a place to move up.
final class LayeredShape {
  enum Kind { case vp8, vp9, h264, descriptor, vp9WithDescriptor }
  struct Packet {
    var payload: [UInt8]
    var marker: Bool
    var descriptor: [UInt8] = []
  }

  let kind: Kind
  let source: UInt8
  var spatialLayers: Int
  var temporalLayers: Int
  /// Whether upper spatial layers need the lower one in keyframes only.
  var isIndependent = false
  var width: Int
  var height: Int
  var packetsPerFrame = 2
  var packetSize = 400
  /// Decode targets that the sender announces as active with the next frame.
  var announcedTargets: UInt32?

  /// The identifier of the structure's first template. Another structure has others, so that a frame is never read by
  /// the wrong one.
  private var templateOffset = 7
  /// How many templates the last structure had.
  private var templates = 0
  private var position = 0
  private var frame = 0
  private var lastBase: [Int] = []
  private var lastMiddle: [Int] = []
  private var newest: [Int] = []

  init(
    _ kind: Kind, source: UInt8 = 0, spatial: Int = 1, temporal: Int = 1, width: Int = 640, height: Int = 360
  ) {
    self.kind = kind
    self.source = source
    spatialLayers = spatial
    temporalLayers = temporal
    self.width = width
    self.height = height
  }

  private static let pattern = [0, 2, 1, 2, 0, 2, 1, 2]

  func picture(isKeyframe: Bool, of sender: VirtualSource) -> [Packet] {
    if isKeyframe { position = 0 }
    var place = position % 8
    // With two layers every other picture is T1; with one all are T0.
    var temporal = temporalLayers == 3 ? Self.pattern[place] : temporalLayers == 2 ? place % 2 : 0
    if isKeyframe {
      temporal = 0
      place = 0
    }
    sender.pictureID = (sender.pictureID + 1) & 0x7FFF
    if temporal == 0 { sender.tl0 &+= 1 }
    var packets: [Packet] = []
    if isKeyframe {
      if templates > 0, templates != targetCount { templateOffset = (templateOffset + templates) & 0x3F }
      templates = targetCount
      lastBase = Array(repeating: 0, count: spatialLayers)
      lastMiddle = lastBase
      newest = lastBase
    }
    for spatial in 0..<spatialLayers {
      frame += 1
      var needs: [Int] = []
      var isSync = false
      if !isKeyframe {
        switch temporal {
        case 0: needs = [lastBase[spatial]]
        case 1:
          isSync = temporalLayers == 2 || place == 2
          needs = isSync ? [lastBase[spatial]] : [lastBase[spatial], lastMiddle[spatial]]
        default:
          isSync = place == 1 || place == 5
          needs = isSync ? [lastBase[spatial]] : [newest[spatial]]
        }
      }
      if spatial > 0, isKeyframe || !isIndependent { needs.append(frame - 1) }
      switch temporal {
      case 0:
        lastBase[spatial] = frame
        newest[spatial] = frame
      case 1:
        lastMiddle[spatial] = frame
        newest[spatial] = frame
      default: break
      }
      for part in 0..<packetsPerFrame {
        let mark = FrameMark(
          source: source, frame: frame, spatial: spatial, temporal: temporal, part: part, parts: packetsPerFrame,
          needs: needs)
        let isLast = part == packetsPerFrame - 1
        let head = header(
          isKeyframe, spatial, temporal, isFirst: part == 0, isLast: isLast, isSync: isSync, place: place, sender)
        var payload = head
        payload += [UInt8](
          repeating: 0xA5, count: max(packetSize * (spatial + 1) + part % 2 - head.count - FrameMark.length, 0))
        payload += mark.bytes
        packets.append(
          Packet(
            payload: payload, marker: isLast && spatial == spatialLayers - 1,
            descriptor: descriptor(
              isKeyframe, spatial, temporal, isFirst: part == 0, isLast: isLast, needs: needs, isSync: isSync,
              place: place)))
      }
    }
    announcedTargets = nil
    position += 1
    return packets
  }

  // MARK: Payload headers

  private func header(
    _ isKeyframe: Bool, _ spatial: Int, _ temporal: Int, isFirst: Bool, isLast: Bool, isSync: Bool, place: Int,
    _ sender: VirtualSource
  ) -> [UInt8] {
    let id = [0x80 | UInt8(sender.pictureID >> 8), UInt8(truncatingIfNeeded: sender.pictureID)]
    switch kind {
    case .vp8:
      var bytes: [UInt8] = [0x80 | (isFirst ? 0x10 : 0), temporalLayers > 1 ? 0xE0 : 0xC0] + id + [sender.tl0]
      if temporalLayers > 1 { bytes.append(UInt8(temporal) << 6 | (isSync ? 0x20 : 0)) }
      guard isFirst else { return bytes + [0x01] }
      bytes += isKeyframe ? [0x10, 0, 0, 0x9D, 0x01, 0x2A] : [0x11]
      if isKeyframe { bytes += little(width) + little(height) }
      return bytes
    case .vp9, .vp9WithDescriptor:
      let hasStructure = isKeyframe && isFirst && spatial == 0
      let isPredicted = !isKeyframe
      let isInterLayer = spatial > 0 && (isKeyframe || !isIndependent)
      var first: UInt8 = 0xA0
      if isPredicted { first |= 0x40 }
      if isFirst { first |= 0x08 }
      if isLast { first |= 0x04 }
      if hasStructure { first |= 0x02 }
      // The first picture of the pattern is where higher layers start over.
      let isSwitch = place == 0 || (temporalLayers == 2 && temporal == 0)
      var bytes = [first] + id
      bytes += [
        UInt8(temporal) << 5 | (isSwitch ? 0x10 : 0) | UInt8(spatial) << 1 | (isInterLayer ? 1 : 0), sender.tl0,
      ]
      if hasStructure {
        bytes.append(UInt8(spatialLayers - 1) << 5 | 0x10)
        for layer in 0..<spatialLayers { bytes += big(size(layer).0) + big(size(layer).1) }
      }
      return bytes + [0x86]
    case .h264: return isFirst ? (isKeyframe ? [0x65] : [0x41]) : [0x5C, isLast ? 0x45 : 0x05]
    case .descriptor: return [0x10 | (isKeyframe && isFirst && spatial == 0 ? 0x08 : 0), 0x30]
    }
  }

  func size(_ spatial: Int) -> (Int, Int) {
    (width >> (spatialLayers - 1 - spatial), height >> (spatialLayers - 1 - spatial))
  }
  private func little(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
  private func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  // MARK: Dependency descriptors

  var targetCount: Int { spatialLayers * temporalLayers }

  private func isPart(_ spatial: Int, _ temporal: Int, of target: Int, isKeyframe: Bool) -> Bool {
    let top = (target / temporalLayers, target % temporalLayers)
    let isInSpace = isIndependent && !isKeyframe ? spatial == top.0 : spatial <= top.0
    return isInSpace && temporal <= top.1
  }

  private func descriptor(
    _ isKeyframe: Bool, _ spatial: Int, _ temporal: Int, isFirst: Bool, isLast: Bool, needs: [Int], isSync: Bool,
    place: Int
  ) -> [UInt8] {
    guard kind == .descriptor || kind == .vp9WithDescriptor else { return [] }
    var writer = BitWriter()
    let template = (templateOffset + spatial * temporalLayers + temporal) & 0x3F
    writer.put(isFirst ? 1 : 0, 1)
    writer.put(isLast ? 1 : 0, 1)
    writer.put(template, 6)
    writer.put(frame & 0xFFFF, 16)
    let hasStructure = isKeyframe && isFirst && spatial == 0
    // Targets' points at which decoding can begin: anywhere in a keyframe; in time at the start of the pattern and at
    // sync frames.
    var indications: [Int] = []
    for target in 0..<targetCount {
      let top = (target / temporalLayers, target % temporalLayers)
      if !isPart(spatial, temporal, of: target, isKeyframe: isKeyframe) {
        indications.append(0)
      } else if isKeyframe || (top.0 == spatial && (place == 0 || temporalLayers == 2 && temporal == 0)) {
        indications.append(2)
      } else if temporal == top.1, temporal == 2 {
        indications.append(1)
      } else {
        indications.append(3)
      }
    }
    let usual = (0..<targetCount).map { isPart(spatial, temporal, of: $0, isKeyframe: false) ? 3 : 0 }
    let differences = needs.map { frame - $0 }
    let hasCustomTargets = indications != usual
    let hasCustomDifferences = differences != (temporal > 0 && spatialLayers == 1 ? [1] : [])
    guard hasStructure || announcedTargets != nil || hasCustomTargets || hasCustomDifferences else {
      return writer.bytes
    }
    writer.put(hasStructure ? 1 : 0, 1)
    writer.put(announcedTargets != nil ? 1 : 0, 1)
    writer.put(hasCustomTargets ? 1 : 0, 1)
    writer.put(hasCustomDifferences ? 1 : 0, 1)
    writer.put(0, 1)
    if hasStructure { putStructure(&writer) }
    if let announcedTargets { writer.put(Int(announcedTargets), targetCount) }
    if hasCustomTargets { for indication in indications { writer.put(indication, 2) } }
    if hasCustomDifferences {
      for difference in differences {
        let size = difference <= 16 ? 1 : difference <= 256 ? 2 : 3
        writer.put(size, 2)
        writer.put(difference - 1, size * 4)
      }
      writer.put(0, 2)
    }
    return writer.bytes
  }

  private func putStructure(_ writer: inout BitWriter) {
    writer.put(templateOffset, 6)
    writer.put(targetCount - 1, 5)
    for template in 0..<targetCount {
      writer.put(template == targetCount - 1 ? 3 : template % temporalLayers == temporalLayers - 1 ? 2 : 1, 2)
    }
    for template in 0..<targetCount {
      for target in 0..<targetCount {
        let isPart = isPart(template / temporalLayers, template % temporalLayers, of: target, isKeyframe: false)
        writer.put(isPart ? 3 : 0, 2)
      }
    }
    for template in 0..<targetCount {
      if spatialLayers == 1, template % temporalLayers > 0 { writer.put(0b10000, 5) }
      writer.put(0, 1)
    }
    // No chains: ns(targets + 1) of 0.
    let limit = targetCount + 1
    let width = Int.bitWidth - limit.leadingZeroBitCount
    writer.put(0, (1 << width) - limit > 0 ? width - 1 : width)
    writer.put(1, 1)
    for layer in 0..<spatialLayers {
      writer.put(size(layer).0 - 1, 16)
      writer.put(size(layer).1 - 1, 16)
    }
  }
}

/// Writes bit fields, for dependency descriptors.
struct BitWriter {
  var bytes: [UInt8] = []
  var bits = 0

  mutating func put(_ value: Int, _ count: Int) {
    for shift in stride(from: count - 1, through: 0, by: -1) {
      if bits % 8 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(7 - bits % 8)
      bits += 1
    }
  }
}
