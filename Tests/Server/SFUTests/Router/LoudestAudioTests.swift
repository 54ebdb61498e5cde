import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Loudest audio", .tellsSeeds)
struct LoudestAudioTests {
  /// Participants with a microphone and `slots` slots that follow the loudest, spread over the routers.
  private func room(
    _ count: Int, routers: Int, places: Int, slots: Int
  ) throws -> (VirtualCluster, [VirtualClient], [VirtualSource]) {
    let cluster = try VirtualCluster(routers: routers, audioLoudest: places)
    cluster.connectAll()
    var clients: [VirtualClient] = []
    var microphones: [VirtualSource] = []
    for index in 0..<count {
      let router = cluster.meetings[index % routers]
      let client = try router.join("p\(index)")
      let microphone = client.publish("a\(index)", mid: "0", .audio, ssrc: 1_000)
      microphone.level = 127
      for slot in 0..<slots {
        router.router.setFollowsLoudest(true, client.slot("s\(slot)", .audio, ssrc: 5_000 + UInt32(slot)))
      }
      clients.append(client)
      microphones.append(microphone)
    }
    cluster.settle()
    return (cluster, clients, microphones)
  }

  private func heard(_ client: VirtualClient) -> Set<String> {
    Set(client.slots.values.compactMap { $0.publication?.id.rawValue })
  }

  @Test("in a room of 60 each gets only the loudest, on any router, and never itself")
  func onlyTheLoudest() throws {
    let (cluster, clients, microphones) = try room(60, routers: 3, places: 3, slots: 3)
    for microphone in microphones { microphone.start() }
    cluster.run(for: .seconds(1))
    #expect(clients.allSatisfy { heard($0).isEmpty })
    #expect(cluster.meetings.allSatisfy { $0.router.counters.packetsForwarded == 0 })
    #expect(cluster.wires.allSatisfy { $0.count(.media) == 0 })

    for talker in [5, 16, 27] { microphones[talker].level = 25 }
    cluster.run(for: .seconds(2))
    for (index, client) in clients.enumerated() {
      #expect(heard(client) == Set(["a5", "a16", "a27"]).subtracting(["a\(index)"]))
    }
    // Every packet of the three crosses to both other routers, nothing else does.
    let crossed = cluster.wires.map { $0.count(.media) }.reduce(0, +)
    #expect(crossed <= 3 * 2 * 101 && crossed > 3 * 2 * 90)
    // A fourth must wait for a place; two others fall silent, and theirs are taken over.
    microphones[5].level = 127
    microphones[16].level = 127
    cluster.run(for: .milliseconds(1_500))
    microphones[40].level = 25
    cluster.run(for: .milliseconds(400))
    for (index, client) in clients.enumerated() where index != 40 && index != 27 {
      #expect(heard(client).contains("a40") && heard(client).contains("a27"))
      #expect(heard(client).count <= 3)
    }
  }

  @Test("a talker is heard on every router within 100 ms of the first sound")
  func soon() throws {
    let (cluster, clients, microphones) = try room(30, routers: 3, places: 3, slots: 3)
    for microphone in microphones { microphone.start() }
    cluster.run(for: .seconds(1))
    microphones[4].level = 40
    let began = cluster.now
    cluster.run(for: .milliseconds(200))
    for (index, client) in clients.enumerated() where index != 4 {
      let first = client.streams.values.compactMap { $0.ordered.first?.at }.min()
      let delay = try #require(first) - began
      // The links to and from the participants take 10 ms each.
      #expect(delay <= .milliseconds(120), "\(index) hears it after \(delay)")
    }
  }

  @Test("the sound of a slot that moves has one line of numbers and time, without a gap")
  func continuous() throws {
    let (cluster, clients, microphones) = try room(12, routers: 2, places: 1, slots: 1)
    for microphone in microphones { microphone.start() }
    for talker in 0..<6 {
      microphones[talker].level = 25
      cluster.run(for: .milliseconds(1_300))
      microphones[talker].level = 127
      cluster.run(for: .milliseconds(1_200))
    }
    let stream = try #require(clients[11].streams[5_000])
    #expect(stream.packets.count > 500)
    #expect(stream.missing == 0)
    var last: VirtualReceiver.Packet?
    for packet in stream.ordered {
      if let last {
        let ticks = Int64(Int32(bitPattern: packet.timestamp &- last.timestamp))
        let elapsed = (packet.at - last.at).microseconds * 48 / 1_000
        #expect(ticks > 0 && abs(ticks - elapsed) <= 48 * 25)
      }
      last = packet
    }
  }

  @Test("signalling gets each slot change once, and each names what the slot carries")
  func updates() throws {
    let (cluster, clients, microphones) = try room(20, routers: 2, places: 2, slots: 2)
    for microphone in microphones { microphone.start() }
    var carried: [String: [String: String]] = [:]
    var messages = 0
    func collect() {
      for router in 0..<2 {
        for event in cluster.events(of: router) {
          guard case .slots(let updates) = event else { continue }
          messages += 1
          for update in updates {
            carried[update.participant.rawValue, default: [:]][update.mid.rawValue] = update.publication?.rawValue
          }
        }
      }
    }
    for talker in [1, 2, 7, 12, 13, 4] {
      microphones[talker].level = 25
      cluster.run(for: .milliseconds(1_500))
      collect()
      microphones[talker].level = 127
      for client in clients {
        for (mid, slot) in client.slots {
          #expect(carried[client.member.id.rawValue]?[mid] == slot.publication?.id.rawValue)
        }
      }
    }
    #expect(messages <= 6 * 2 * 3)
  }

  @Test("a quiet slot stays attached, and one with what it was told is left alone")
  func quiet() throws {
    let (cluster, clients, microphones) = try room(10, routers: 1, places: 2, slots: 2)
    let fixed = clients[3].slot("fixed", .audio, ssrc: 7_000)
    cluster.attach("a8", to: fixed, on: 0)
    for microphone in microphones { microphone.start() }
    microphones[1].level = 25
    cluster.run(for: .seconds(1))
    microphones[1].level = 127
    // Silence is sent now and then only.
    microphones[1].interval = .milliseconds(400)
    microphones[1].packetSize = 2
    cluster.run(for: .seconds(20))
    #expect(heard(clients[5]) == ["a1"])
    #expect(fixed.publication?.id.rawValue == "a8")
    #expect(clients[5].streams.values.map(\.missing).reduce(0, +) == 0)
    // A microphone that is carried already takes no second slot.
    microphones[8].level = 25
    cluster.run(for: .seconds(1))
    #expect(clients[3].slots.filter { $0.value.publication?.id.rawValue == "a8" }.count == 1)
    #expect(heard(clients[5]) == ["a1", "a8"])
  }

  @Test("a room of 300 costs a receiver no more than one of 10 does")
  func cost() throws {
    var bytes: [Int] = []
    for count in [10, 300] {
      let (cluster, clients, microphones) = try room(count, routers: 1, places: 3, slots: 3)
      for microphone in microphones {
        microphone.interval = .milliseconds(60)
        microphone.start()
      }
      for talker in 0..<5 { microphones[talker].level = 25 }
      cluster.run(for: .seconds(2))
      bytes.append(cluster.meetings[0].sentBytes[clients[9].member.index] ?? 0)
    }
    #expect(Double(bytes[1]) < Double(bytes[0]) * 1.1, "\(bytes)")
  }
}
