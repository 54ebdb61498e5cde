import Basics
import Glibc
import Testing
import Transport

/// An actor that lives on a loop, as a media worker does.
private actor Resident {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  var events: [String] = []
  private var pipe: (read: Int32, write: Int32) = (-1, -1)
  private var registration: EventLoop.Registration?

  init(loop: EventLoop) { self.loop = loop }

  func note(_ event: String) { events.append(event) }
  var onLoop: Bool { loop.isCurrent }

  func watchPipe(for readiness: Readiness = .readable) throws {
    var ends: [Int32] = [0, 0]
    #expect(Glibc.pipe(&ends) == 0)
    pipe = (ends[0], ends[1])
    registration = try loop.register(ends[0], for: readiness) { [unowned self] readiness in
      self.assumeIsolated { resident in
        var byte: UInt8 = 0
        _ = read(resident.pipe.read, &byte, 1)
        resident.events.append("pipe \(byte) \(readiness.contains(.readable))")
      }
    }
    loop.setHandlers(
      onDeadline: { [unowned self] in self.assumeIsolated { $0.events.append("deadline") } },
      onTickEnd: { [unowned self] in self.assumeIsolated { $0.events.append("end") } })
  }

  /// The handler's captures are its own: they would be gone when it ends its registration, were they not kept until the
  /// tick ends.
  func watchPipeOnce() throws {
    var ends: [Int32] = [0, 0]
    #expect(Glibc.pipe(&ends) == 0)
    pipe = (ends[0], ends[1])
    let held = Held(name: "pipe")
    registration = try loop.register(ends[0], for: .readable) { [unowned self] _ in
      self.assumeIsolated { resident in
        var byte: UInt8 = 0
        _ = read(resident.pipe.read, &byte, 1)
        if let registration = resident.registration { resident.loop.unregister(registration) }
        resident.loop.setHandlers(onDeadline: nil, onTickEnd: { resident.replaced() })
        resident.events.append("\(held.name) \(byte)")
      }
    }
    loop.setHandlers(onDeadline: nil, onTickEnd: {})
  }

  private final class Held: Sendable {
    let name: String
    init(name: String) { self.name = name }
  }

  private nonisolated func replaced() { assumeIsolated { $0.events.append("replaced") } }

  func writePipe(_ byte: UInt8) { writePipe([byte]) }

  func writePipe(_ bytes: [UInt8]) { _ = write(pipe.write, bytes, bytes.count) }

  func setDeadline(in span: TimeSpan) { loop.setDeadline(loop.now + span) }

  func closePipe() {
    if let registration { loop.unregister(registration) }
    registration = nil
    loop.setHandlers(onDeadline: nil, onTickEnd: nil)
    close(pipe.read)
    close(pipe.write)
  }

  /// Two descriptors ready in one tick, the first of which ends the second's registration.
  func unregisterSecondInFirst() throws {
    var a: [Int32] = [0, 0]
    var b: [Int32] = [0, 0]
    _ = Glibc.pipe(&a)
    _ = Glibc.pipe(&b)
    var registrations: [EventLoop.Registration] = []
    for fd in [a[0], b[0]] {
      registrations.append(
        try loop.register(fd, for: .readable) { [unowned self] _ in
          self.assumeIsolated { resident in
            resident.events.append("fired")
            for r in resident.both { resident.loop.unregister(r) }
          }
        })
    }
    both = registrations
    var byte: UInt8 = 1
    _ = write(a[1], &byte, 1)
    _ = write(b[1], &byte, 1)
  }
  private var both: [EventLoop.Registration] = []
}

@Suite struct EventLoopTests {
  @Test("an actor's calls run on the loop's thread, and nowhere else")
  func executor() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    #expect(await resident.onLoop)
    #expect(!loop.isCurrent)
    await withTaskGroup(of: Void.self) { group in
      for i in 0..<200 { group.addTask { await resident.note("\(i)") } }
    }
    #expect(await resident.events.count == 200)
    loop.stop()
    loop.join()
  }

  // Synchronously.
  @Test("a ready descriptor's handler runs in the actor, then the tick-end handler")
  func descriptors() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    try await resident.watchPipe()
    await resident.writePipe(7)
    await wait("the pipe's byte and the tick's end after it") {
      let events = await resident.events
      guard let index = events.firstIndex(of: "pipe 7 true") else { return false }
      return events[index...].contains("end")
    }
    await resident.closePipe()
    loop.stop()
    loop.join()
  }

  @Test("an edge-triggered descriptor is reported once for each arrival, whatever is left")
  func edgeTriggered() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    try await resident.watchPipe(for: [.readable, .edgeTriggered])
    await resident.writePipe([1, 2, 3])
    await wait("the first byte") { await resident.events.contains("pipe 1 true") }
    // Each call is a tick, which would report what is left.
    for _ in 0..<10 { await resident.note("again") }
    #expect(await resident.events.filter { $0.hasPrefix("pipe") } == ["pipe 1 true"])
    await resident.writePipe([4])
    await wait("the next byte") { await resident.events.contains("pipe 2 true") }
    #expect(await resident.events.filter { $0.hasPrefix("pipe") } == ["pipe 1 true", "pipe 2 true"])
    await resident.closePipe()
    loop.stop()
    loop.join()
  }

  @Test("the deadline handler runs once, not before its time")
  func deadline() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    try await resident.watchPipe()
    let start = MonotonicClock.now
    await resident.setDeadline(in: .milliseconds(30))
    await wait("the deadline") { await resident.events.contains("deadline") }
    #expect(MonotonicClock.now - start >= .milliseconds(30))
    for _ in 0..<10 { await resident.note("again") }
    #expect(await resident.events.filter { $0 == "deadline" }.count == 1)
    await resident.closePipe()
    loop.stop()
    loop.join()
  }

  @Test("an event of the tick in which its registration ended is not delivered")
  func staleEvents() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    try await resident.unregisterSecondInFirst()
    await wait("the first handler") { await resident.events.contains("fired") }
    for _ in 0..<5 { await resident.note("later") }
    #expect(await resident.events.filter { $0 == "fired" }.count == 1)
    loop.stop()
    loop.join()
  }

  @Test("no call is overlooked, whether the loop sleeps, is about to or runs", .timeLimit(.minutes(20)))
  func noCallIsOverlooked() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<5_000 { await resident.note("call") } } }
    }
    #expect(await resident.events.count == 20_000)
    loop.stop()
    loop.join()
  }

  @Test(
    "a handler that ends itself and replaces others of its tick runs to its end", .timeLimit(.minutes(20)))
  func handlerThatUnregistersItself() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    try await resident.watchPipeOnce()
    await resident.writePipe(7)
    while await !resident.events.contains("replaced") { await Task.yield() }
    #expect(await resident.events.prefix(2) == ["pipe 7", "replaced"])
    loop.stop()
    loop.join()
  }

  @Test("a call to an actor whose loop has ended still returns")
  func callsAfterEnd() async throws {
    let loop = try EventLoop(name: "test loop")
    let resident = Resident(loop: loop)
    loop.stop()
    loop.join()
    for i in 0..<50 { await resident.note("\(i)") }
    #expect(await resident.events.count == 50)
    #expect(await resident.onLoop)
  }
}
