import Basics
import Foundation
import Testing

@testable import RTC
@testable import SFU

/// Publications of encrypted meetings, whose frames the server can't read.
@Suite("Encrypted publications")
struct EncryptedPublicationTests {
  /// The start of a VP9 keyframe of 640 × 360, behind a descriptor that says nothing of sizes.
  private let frame: [UInt8] = [0x08, 0x82, 0x49, 0x83, 0x42, 0x20, 0x27, 0xF0, 0x16, 0x70]

  @Test("threat 17: ciphertext where VP9 has its frame header is not taken for a size", arguments: [false, true])
  func sizes(isEncrypted: Bool) {
    let stream = SourceStream(
      ssrc: SSRC(rawValue: 1), layer: nil, kind: .video, clockRate: 90_000, usesNack: true, isEncrypted: isEncrypted)
    var packet = StoredPacket()
    #expect(PayloadInspection.inspect(frame.span, .vp9, &packet))
    #expect(packet.startsKeyframe, "the descriptor says so, which is clear")
    #expect(stream.inspectLayers(&packet, frame.span, descriptor: 0..<0, payload: frame.span, codec: .vp9))
    #expect(stream.layers.size(of: 0).width == (isEncrypted ? 0 : 640))
  }

  @Test("whether a publication is encrypted crosses the relay", arguments: [false, true])
  func relayed(isEncrypted: Bool) {
    let announcement = RelayAnnouncement(
      id: PublicationID(rawValue: "t"), participant: ParticipantID(rawValue: "p"),
      media: Sections.receive(mid: "0", .video), isMuted: true, isScreenShare: true, isEncrypted: isEncrypted)
    var record = [UInt8](repeating: 0, count: RelayRecord.headerLength)
    announcement.append(to: &record)
    let read = RelayAnnouncement(record.span)
    #expect(read?.isEncrypted == isEncrypted && read?.isMuted == true && read?.isScreenShare == true)
  }

  @Test("redundant audio is negotiated in plain meetings only, for senders and slots")
  func redundancy() async throws {
    let dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
    let pool = try MediaWorkerPool(count: 1, configuration: MediaWorkerConfiguration(dtls: dtls))
    try await pool.start()
    for isEncrypted in [false, true] {
      let client = PeerConnection(
        .client, configuration: PeerConnectionConfiguration(dtls: dtls, sockets: [], codecs: [.red, .opus]))
      let (microphone, slot) = (client.addTrack(.audio), client.addSlot(.audio))
      let offer = try client.createOffer()
      #expect(offer.contains("red/48000"))
      let answer = try await pool.join(
        ParticipantID(rawValue: "p \(isEncrypted)"), meeting: MeetingID(rawValue: "m \(isEncrypted)"), offer: offer,
        tracks: [.init(mid: microphone, publication: PublicationID(rawValue: "t"), isMuted: false)],
        isEncrypted: isEncrypted)
      #expect(answer.sdp.contains("red/48000") == !isEncrypted)
      #expect(answer.accepted[microphone]?.contains { $0.codec == .red } == !isEncrypted)
      #expect(answer.slots.first { $0.mid == slot }?.codecs.contains { $0.codec == .opus } == true)
      #expect(answer.slots.first { $0.mid == slot }?.codecs.contains { $0.codec == .red } == !isEncrypted)
    }
    await pool.shutdown()
  }
}
