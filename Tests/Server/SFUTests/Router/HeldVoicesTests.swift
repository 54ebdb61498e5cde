import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Held voices", .tellsSeeds)
struct HeldVoicesTests {
  /// A meeting in which everybody talks and hears everybody else, none in step with another.
  private func meeting(
    of count: Int, sizes: [Int], seconds: Int64
  ) throws -> (VirtualMeeting, [VirtualClient], [(source: VirtualSource, start: Instant)]) {
    let meeting = try VirtualMeeting()
    meeting.holds = true
    var voices: [(source: VirtualSource, start: Instant)] = []
    var clients: [VirtualClient] = []
    for index in 0..<count {
      let client = try meeting.join("p\(index)")
      let voice = client.publish("a\(index)", mid: "0", .audio, ssrc: 1_000)
      voice.packetSize = sizes[index % sizes.count]
      clients.append(client)
      voices.append((voice, .zero))
    }
    for (index, client) in clients.enumerated() {
      for other in 0..<count where other != index {
        let slot = client.slot("s\(other)", .audio, ssrc: 5_000 + UInt32(other))
        #expect(meeting.router.attach(voices[other].source.publication, to: slot))
      }
    }
    for index in voices.indices {
      voices[index].source.start()
      voices[index].start = meeting.now
      meeting.run(for: .microseconds(Int64(20_000 / count)))
    }
    meeting.run(for: .seconds(seconds))
    return (meeting, clients, voices)
  }

  /// Every packet came once, in order, and waited at most `limit` on its way; the longest wait.
  private func check(
    _ clients: [VirtualClient], _ voices: [(source: VirtualSource, start: Instant)], limit: TimeSpan
  ) -> TimeSpan {
    var longest = TimeSpan.zero
    for (index, client) in clients.enumerated() {
      for (other, voice) in voices.enumerated() where other != index {
        guard let stream = client.streams[5_000 + UInt32(other)] else { continue }
        #expect(stream.missing == 0 && stream.duplicates == 0)
        // Packets on their way at the end aren't there yet.
        #expect(stream.packets.count >= voice.source.packetsSent - 3)
        var last = Instant.zero
        for packet in stream.ordered {
          #expect(packet.at >= last)
          last = packet.at
          // A packet's content says which one of its voice it is; both links take 10 ms.
          let sent = voice.start + .milliseconds(20 * Int64(packet.payload[0]))
          longest = max(longest, packet.at - sent - .milliseconds(20))
        }
      }
    }
    #expect(longest <= limit)
    return longest
  }

  @Test("with ten speakers one receiver's packets leave together, in order, within 5 ms")
  func together() throws {
    let (meeting, clients, voices) = try meeting(of: 10, sizes: [120, 150, 121, 180, 140, 300], seconds: 4)
    #expect(check(clients, voices, limit: .milliseconds(5)) > .milliseconds(4))
    let perSend = Double(meeting.sentDatagrams.values.reduce(0, +)) / Double(meeting.sentRuns)
    #expect(perSend > 1.9, "\(perSend) packets a send")
  }

  @Test("packets of nearly one size leave in one padded send, others two by two")
  func sizes() throws {
    let alike = try meeting(of: 10, sizes: [120, 150, 135, 128, 142], seconds: 4)
    let unlike = try meeting(of: 10, sizes: [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000], seconds: 4)
    for (meeting, clients, voices) in [alike, unlike] {
      _ = check(clients, voices, limit: .milliseconds(5))
      let received = clients.flatMap { $0.streams.values.flatMap(\.ordered) }
      // A padded packet comes out as it went in.
      #expect(received.allSatisfy { packet in packet.payload.allSatisfy { $0 == packet.payload[0] } })
      #expect(meeting.router.counters.protectFailures == 0)
    }
    func perSend(_ meeting: VirtualMeeting) -> Double {
      Double(meeting.sentDatagrams.values.reduce(0, +)) / Double(meeting.sentRuns)
    }
    #expect(perSend(alike.0) > 2.3, "\(perSend(alike.0)) packets a send")
    #expect(perSend(unlike.0) > 1.4, "\(perSend(unlike.0)) packets a send")
  }

  @Test("in a meeting of five speakers no packet waits")
  func few() throws {
    let (_, clients, voices) = try meeting(of: 5, sizes: [120], seconds: 4)
    #expect(check(clients, voices, limit: .zero) == .zero)
  }
}
