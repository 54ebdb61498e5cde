import Basics
import RTC
import SFU

/// A camera or microphone: packets as a browser sends them, 25 frames of four packets or, while somebody talks, 50
/// packets of sound a second.
final class SimulatedSource {
  let publication: String
  let kind: MediaKind
  unowned let participant: SimulatedParticipant
  var wantsKeyframe = false
  /// Keyframes sent, and how often one was asked for.
  private(set) var keyframes = 0
  var keyframeRequests = 0
  /// The RFC 6464 level: decibels below full scale.
  var level: UInt8 = 127
  /// When it began to talk, while it does.
  var talkingSince: Instant? {
    didSet { if talkingSince != nil { nextFrame = min(nextFrame, talkingSince ?? nextFrame) } }
  }

  private let ssrc: SSRC
  private let mid: HeaderExtensionText?
  private let type: PayloadType
  private var nextFrame: Instant
  private var sequence: UInt16 = 1
  private var timestamp: UInt32 = 0
  private var pictureID: UInt16 = 0
  private var bytes = [UInt8](repeating: 0, count: 1_400)

  init(
    _ publication: String, mid: String, _ media: NegotiatedMedia, of participant: SimulatedParticipant, ssrc: UInt32,
    first: Instant
  ) {
    self.publication = publication
    self.participant = participant
    kind = media.kind
    self.ssrc = SSRC(rawValue: ssrc)
    self.mid = HeaderExtensionText(mid)
    type = media.codecs[0].payloadType
    nextFrame = first
  }

  func send(_ now: Instant) {
    guard nextFrame <= now, participant.isConnected else { return }
    if kind == .audio {
      // Silence is sent as comfort noise now and then (RFC 7587 section 3.1.3).
      let isSilent = talkingSince == nil
      nextFrame = nextFrame + .milliseconds(isSilent ? 400 : 20)
      timestamp &+= isSilent ? 19_200 : 960
      packet(payload: isSilent ? 2 : 80, marker: false, now)
      return
    }
    nextFrame = nextFrame + .milliseconds(40)
    timestamp &+= 3_600
    pictureID = (pictureID + 1) & 0x7FFF
    let isKeyframe = wantsKeyframe || keyframes == 0
    wantsKeyframe = false
    if isKeyframe { keyframes += 1 }
    let count = isKeyframe ? 14 : 4
    for index in 0..<count {
      packet(payload: 1_100, marker: index == count - 1, now) { payload, start in
        payload[start] = 0x80 | (index == 0 ? 0x10 : 0)
        payload[start + 1] = 0x80
        payload[start + 2] = 0x80 | UInt8(self.pictureID >> 8)
        payload[start + 3] = UInt8(truncatingIfNeeded: self.pictureID)
        payload[start + 4] = isKeyframe ? 0x10 : 0x11
      }
    }
  }

  private func packet(
    payload: Int, marker: Bool, _ now: Instant, _ fill: (inout [UInt8], Int) -> Void = { _, _ in }
  ) {
    var writer = RTPHeaderWriter()
    // Taken out while in use, so that it is neither copied nor accessed twice.
    var bytes: [UInt8] = []
    swap(&bytes, &self.bytes)
    defer { swap(&bytes, &self.bytes) }
    var span = bytes.mutableSpan
    guard
      let length = try? {
        try writer.begin(
          payloadType: type, marker: marker, sequenceNumber: SequenceNumber(rawValue: sequence),
          timestamp: RTPTimestamp(rawValue: timestamp), ssrc: ssrc, into: &span)
        if let mid { try writer.append(id: SimulatedSections.midID, text: mid, into: &span) }
        if kind == .audio { try writer.append(id: SimulatedSections.levelID, uint8: level, into: &span) }
        return try writer.finish(into: &span)
      }()
    else { return }
    sequence &+= 1
    fill(&bytes, length)
    let whole = bytes.span.extracting(0..<(length + payload))
    guard let header = try? RTPHeader.parse(whole) else { return }
    participant.worker.receive(whole, header, from: participant, now)
  }
}
