import Basics
import Testing

@testable import RTC
@testable import SFU

@Suite("The first picture of a newcomer")
struct NewcomerTests {
  private let meeting: VirtualMeeting
  private let ann: VirtualClient
  private let ben: VirtualClient
  private let camera: VirtualSource

  /// Ann has published for a second; Ben has a slot for her camera, and no connection yet.
  init() throws {
    meeting = try VirtualMeeting()
    ann = try meeting.join("ann")
    ben = try meeting.join("ben", isConnected: false)
    camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    camera.start()
    meeting.run(for: .seconds(1))
    #expect(ann.keyframeRequests == 0)
    #expect(meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 5_000)))
  }

  private var stream: VirtualReceiver {
    get throws { try #require(ben.streams[5_000]) }
  }

  @Test("a keyframe is asked for during connecting, and begins the stream afterwards")
  func keptKeyframe() throws {
    meeting.run(for: .milliseconds(150))
    #expect(ann.keyframeRequests == 1)
    #expect(try stream.packets.isEmpty)
    let opened = meeting.now
    try meeting.connect(ben)
    meeting.flush()
    meeting.run(for: .seconds(1))
    let packets = try stream.ordered
    let first = try #require(packets.first)
    #expect(first.payload[5] & 1 == 0, "the first packet is no keyframe")
    #expect(first.at - opened <= meeting.down.delay)
    #expect(ann.keyframeRequests == 1, "another keyframe was asked for")
    #expect(try stream.missing == 0)
    #expect(try stream.duplicates == 0)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.pictureID - $0.pictureID <= 1 }, "a picture is missing")
    #expect(packets.count > 100)
  }

  @Test(
    "a request before the kept keyframe could arrive costs none, a later one gets one"
  )
  func requestBeforeArrival() throws {
    meeting.downOf[ben.member.index] = LinkConditions(delay: .milliseconds(120))
    meeting.upOf[ben.member.index] = LinkConditions(delay: .milliseconds(120))
    meeting.run(for: .milliseconds(150))
    #expect(ann.keyframeRequests == 1)
    try meeting.connect(ben)
    meeting.flush()
    // As browsers do that have waited for a picture for long enough.
    ben.sendPLI(ssrc: 5_000)
    meeting.run(for: .milliseconds(60))
    ben.sendPLI(ssrc: 5_000)
    meeting.run(for: .seconds(1))
    #expect(ann.keyframeRequests == 1, "the kept keyframe was on its way")
    #expect(try #require(try stream.ordered.first).payload[5] & 1 == 0)
    ben.sendPLI(ssrc: 5_000)
    meeting.run(for: .seconds(1))
    #expect(ann.keyframeRequests == 2)
  }

  @Test("a keyframe on its way when the connection is up begins the stream on arrival")
  func keyframeOnItsWay() throws {
    meeting.run(for: .milliseconds(15))
    try meeting.connect(ben)
    meeting.run(for: .seconds(1))
    #expect(try #require(try stream.ordered.first).payload[5] & 1 == 0)
    #expect(ann.keyframeRequests == 1)
    #expect(try stream.missing == 0)
  }

  @Test("frames that are too old aren't shown after a join: a new keyframe is asked for")
  func oldKeyframe() throws {
    meeting.run(for: .seconds(1))
    #expect(ann.keyframeRequests == 1)
    let opened = meeting.now
    try meeting.connect(ben)
    meeting.run(for: .seconds(1))
    #expect(ann.keyframeRequests == 2)
    let first = try #require(try stream.ordered.first)
    #expect(first.payload[5] & 1 == 0)
    #expect(first.at - opened > meeting.down.delay)
  }

  @Test("packets lost since the keyframe fill their gap when it is there")
  func lossSinceKeyframe() throws {
    meeting.up.loss = 0.2
    meeting.run(for: .milliseconds(160))
    try meeting.connect(ben)
    meeting.run(for: .seconds(1))
    meeting.up.loss = 0
    meeting.run(for: .seconds(1))
    #expect(try #require(try stream.ordered.first).payload[5] & 1 == 0)
    #expect(try stream.missing == 0)
    #expect(try stream.conflicts == 0)
  }

  @Test("a receiver that reconnects gets no video twice")
  func reconnect() throws {
    try meeting.connect(ben)
    meeting.run(for: .milliseconds(120))
    let before = try stream.ordered
    #expect(before.count > 4)
    meeting.router.close(ben.member)
    try meeting.connect(ben)
    meeting.run(for: .seconds(1))
    let packets = try stream.ordered
    #expect(packets.count > before.count)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { Int32(bitPattern: $1.timestamp &- $0.timestamp) >= 0 })
    #expect(try stream.conflicts == 0)
    #expect(packets[before.count].payload[5] & 1 == 0)
  }

  @Test("a client that never connects costs one keyframe, and an ended connection none")
  func nobodyThere() throws {
    meeting.run(for: .seconds(3))
    #expect(ann.keyframeRequests == 1)
    meeting.router.close(ben.member)
    let slot = ben.slot("8", .video, ssrc: 6_000)
    #expect(meeting.router.attach(camera.publication, to: slot))
    meeting.run(for: .seconds(3))
    #expect(ann.keyframeRequests == 1)
  }
}
