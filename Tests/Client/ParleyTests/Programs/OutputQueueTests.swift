import Basics
import Glibc
import TestSupport
import Testing

@testable import Parley

@Suite struct OutputQueueTests {
  /// A pipe that takes one page.
  private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      (reading, writing) = (ends[0], ends[1])
      _ = fcntl(writing, 1_031 /* F_SETPIPE_SZ */, 4_096)
    }

    /// How many bytes wait in it.
    var count: Int {
      var count: Int32 = 0
      _ = ioctl(reading, UInt(FIONREAD), &count)
      return Int(count)
    }

    /// Everything up to a last line.
    func lines(until last: String) -> [String] {
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 1_024)
      while !String(decoding: bytes, as: UTF8.self).hasSuffix("\n" + last + "\n") {
        let count = read(reading, &piece, piece.count)
        guard count > 0 else { break }
        bytes += piece.prefix(count)
      }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  @Test("an unread pipe holds up nobody; the newest lines stay and the gap is reported")
  func unread() async throws {
    let pipe = Pipe()
    let queue = OutputQueue(descriptor: pipe.writing, capacity: 1_000) { "dropped \($0)\n" }
    // Of a size that leaves the pipe no room for a second.
    queue.enqueue(String(repeating: "x", count: 8_000) + "\n")
    try await wait(for: "a full pipe") { pipe.count == 4_096 }
    for number in 0..<10_000 { queue.enqueue("line \(number)\n") }
    queue.enqueue("left\n")
    let lines = pipe.lines(until: "left")
    #expect(lines.first?.count == 8_000)
    let dropped = try #require(lines.dropFirst().first?.split(separator: " ").last.flatMap { Int($0) })
    #expect(Array(lines.dropFirst(2)) == (dropped..<10_000).map { "line \($0)" } + ["left"])
    #expect(dropped > 9_800 && dropped < 10_000)
    #expect(queue.drain() == 0)
  }

  @Test("the end doesn't wait for an unread pipe, and says how many lines are lost")
  func lost() {
    let pipe = Pipe()
    let queue = OutputQueue(descriptor: pipe.writing)
    queue.enqueue(String(repeating: "x", count: 8_000) + "\n")
    queue.enqueue("left\n")
    #expect(queue.drain(patience: .milliseconds(50)) == 2)
    #expect(queue.drain() == 0, "waited twice")
  }

  @Test("A slow reader gets everything")
  func slow() async throws {
    let pipe = Pipe()
    let queue = OutputQueue(descriptor: pipe.writing)
    for number in 0..<5_000 { queue.enqueue("line \(number)\n") }
    queue.enqueue("left\n")
    let reader = Task.detached { pipe.lines(until: "left") }
    #expect(queue.drain(patience: .seconds(300)) == 0)
    #expect(await reader.value == (0..<5_000).map { "line \($0)" } + ["left"])
  }

  @Test("A reader that has gone is an error, and ends the waiting")
  func gone() async throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    close(pipe.reading)
    let queue = OutputQueue(descriptor: pipe.writing)
    queue.enqueue("line\n")
    #expect(queue.drain(patience: .seconds(300)) == 0)
    #expect(queue.writeError == EPIPE)
  }
}
