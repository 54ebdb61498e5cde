import Basics
import Foundation
import Glibc
import Testing
import Transport

private actor Watcher {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var monitor: NetworkMonitor?
  private(set) var changes: [[NetworkInterface]] = []

  init() throws { loop = try EventLoop(name: "test network") }

  func start() throws {
    monitor = try NetworkMonitor(on: loop) { [unowned self] list in assumeIsolated { $0.changes.append(list) } }
  }

  func end() {
    monitor?.stop()
    monitor = nil
    loop.stop()
  }
}

@Suite(.serialized, .timeLimit(.minutes(20))) struct NetworkTests {
  @Test("interfaces that are up are listed with their addresses, loopback last")
  func list() throws {
    let list = try NetworkInterfaces.list()
    let loopback = try #require(list.last)
    #expect(
      loopback.isLoopback && loopback.addresses.contains(loopbackV4) && loopback.index > 0 && !loopback.name.isEmpty)
    #expect(!list.dropLast().contains { $0.isLoopback } && list.allSatisfy { !$0.addresses.isEmpty })
    #expect(list.allSatisfy { $0.addresses.allSatisfy { $0.isIPv4 || !$0.isLinkLocal } })
    #expect(Set(list.map(\.name)).count == list.count)
  }

  private static func ip(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/ip")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("an address that comes and one that goes are told once each, a burst as one")
  func changes() async throws {
    let text = "192.0.2.\(Int.random(in: 100...200))"
    // Only the administrator may add addresses.
    guard Self.ip("address", "add", "\(text)/32", "dev", "lo") else { return }
    _ = Self.ip("address", "del", "\(text)/32", "dev", "lo")
    let watcher = try Watcher()
    try await watcher.start()
    let address = try #require(IPAddress(text))
    for _ in 0..<3 {
      _ = Self.ip("address", "add", "\(text)/32", "dev", "lo")
      _ = Self.ip("address", "del", "\(text)/32", "dev", "lo")
    }
    _ = Self.ip("address", "add", "\(text)/32", "dev", "lo")
    await wait("the new address") {
      await watcher.changes.last?.contains { $0.addresses.contains(address) } == true
    }
    #expect(await watcher.changes.count <= 3)
    _ = Self.ip("address", "del", "\(text)/32", "dev", "lo")
    await wait("its end") {
      await watcher.changes.last?.contains { $0.addresses.contains(address) } == false
    }
    await watcher.end()
    watcher.loop.join()
  }
}
