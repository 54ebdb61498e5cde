import Basics
import RTC
import Testing

@testable import SFU

@Suite("Streams that packets wait in")
struct ReadyStreamsTests {
  private let waiting = ReadyStreams()
  private let publication = Publication(
    id: PublicationID(rawValue: "p"), participant: 0, media: Sections.receive(mid: "0", .video), isMuted: false)

  private func stream(_ ssrc: UInt32) -> SourceStream {
    let stream = SourceStream(
      ssrc: SSRC(rawValue: ssrc), layer: nil, kind: .video, clockRate: 90_000, usesNack: true)
    publication.streams.append(stream)
    return stream
  }

  private var names: [UInt32] {
    var names: [UInt32] = []
    waiting.forEach { names.append($0.ssrc.rawValue) }
    return names
  }

  private var publications: Int {
    var count = 0
    waiting.forEachPublication { _ in count += 1 }
    return count
  }

  @Test("streams are listed in packet order, their publication once, and gone on a flush")
  func order() {
    let streams = [stream(1), stream(2)]
    for index in [1, 0] { waiting.add(streams[index], of: publication) }
    #expect(names == [2, 1])
    #expect(publications == 1)
    waiting.clear()
    publication.isListed = false
    #expect(waiting.count == 0 && publications == 0)
    waiting.add(streams[0], of: publication)
    #expect(names == [1])
  }

  @Test("an abandoned stream is released by the next one's first packet, which is sent on")
  func replacement() {
    weak var left: SourceStream?
    do {
      let old = stream(1)
      left = old
      old.pending.append(0)
      waiting.add(old, of: publication)
      publication.streams.removeAll()
    }
    // Owned as long as nothing else takes its place: packets of it may be written.
    #expect(left != nil)
    let new = stream(2)
    new.pending.append(0)
    waiting.add(new, of: publication)
    #expect(left == nil)
    #expect(names == [2])
    #expect(publications == 1)
  }

  @Test(
    "an abandoned stream in no slot is released by the next's first packet, anyhow",
    arguments: [true, false])
  func replacementThatNeverWaits(isRefused: Bool) throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(camera.publication, to: slot)
    func send(_ ssrc: UInt32, more: Int = 0) {
      let picture = camera.packet(
        ssrc: ssrc, type: PayloadType(rawValue: 96), sequence: 1, timestamp: 0, [0x10, 0, 0, 0, 0, 0, 0], false)
      meeting.receive(picture + [UInt8](repeating: 0, count: more), ann)
      meeting.flush()
    }
    send(100)
    weak let left = camera.publication.streams.first
    #expect(left != nil)
    // A slot keeps what it carries until the next stream begins there.
    meeting.router.detach(slot)
    #expect(left != nil, "nothing but a slot held it, so nothing is shown")
    send(200, more: isRefused ? Ingress.maximumPacket : 0)
    #expect((meeting.router.counters[.tooLarge] == 1) == isRefused)
    #expect(camera.publication.streams.map(\.ssrc.rawValue) == [200])
    #expect(left == nil)
  }

  @Test("an ended publication leaves nothing behind, and its places are taken by others")
  func removal() {
    weak var ended: SourceStream?
    do {
      let old = stream(1)
      ended = old
      waiting.add(old, of: publication)
      waiting.remove(publication)
      publication.streams.removeAll()
    }
    #expect(ended == nil)
    #expect(waiting.count == 0 && publications == 0 && !publication.isListed)
    let next = stream(2)
    waiting.add(next, of: publication)
    #expect(next.place == 0)
    #expect(names == [2])
  }

  @Test(
    "a publication that ends leaves the others' order, and the next comes last",
    arguments: 0..<4)
  func removalBetweenOthers(ended: Int) {
    var others: [Publication] = []
    for number in 0..<4 {
      let other = Publication(
        id: PublicationID(rawValue: "p\(number)"), participant: number, media: Sections.receive(mid: "0", .audio),
        isMuted: false)
      let stream = SourceStream(
        ssrc: SSRC(rawValue: UInt32(number)), layer: nil, kind: .audio, clockRate: 48_000, usesNack: false)
      other.streams = [stream]
      others.append(other)
      waiting.add(stream, of: other)
    }
    waiting.remove(others[ended])
    var left = [0, 1, 2, 3].filter { $0 != ended }
    func check(_ comment: Comment) {
      var listed: [Int] = []
      waiting.forEachPublication { listed.append($0.participant) }
      #expect(names == left.map { UInt32($0) }, comment)
      #expect(listed == left, comment)
      #expect(waiting.count == left.count && waiting.publicationCount == left.count, comment)
    }
    check("after it ended")
    waiting.add(others[ended].streams[0], of: others[ended])
    left.append(ended)
    check("after it came back")
  }
}
