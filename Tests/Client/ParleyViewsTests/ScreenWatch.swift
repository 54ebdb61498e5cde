import Foundation
import ParleyViews
import Synchronization

/// Reads the display's real content again and again on a thread of its own, and counts the readings at which a point
/// had a forbidden colour.
final class ScreenWatch: Sendable {
  struct Report: Sendable {
    var looks = 0
    /// The first points that were wrong, in words, and how many there were.
    var examples: [String] = []
    var wrong = 0
    /// The sizes of what was lit, as the window had them.
    var widths: Set<Int> = []
  }

  private let isOver = Atomic(false)
  private let report = Mutex(Report())
  private let ended = DispatchSemaphore(value: 0)

  /// Watches every fourth point of the upper left corner. `isWrong` is asked about red, green and blue.
  init(_ file: String, width: Int, height: Int, isWrong: @escaping @Sendable (Int, Int, Int) -> Bool) throws {
    // The XWD format: 25 big-endian numbers, a name, a table of colours, the rows.
    let data = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
    func number(_ place: Int) -> Int { data[(4 * place)..<(4 * place + 4)].reduce(0) { $0 << 8 | Int($1) } }
    let (start, row) = (number(0) + 12 * number(19), number(12))
    let thread = Thread { [self] in
      while !isOver.load(ordering: .acquiring) {
        look(file, start: start, row: row, width: width, height: height, isWrong)
        usleep(2_000)
      }
      ended.signal()
    }
    thread.start()
  }

  private func look(
    _ file: String, start: Int, row: Int, width: Int, height: Int, _ isWrong: (Int, Int, Int) -> Bool
  ) {
    guard let handle = FileHandle(forReadingAtPath: file), (try? handle.seek(toOffset: UInt64(start))) != nil,
      let data = try? handle.read(upToCount: row * height), data.count == row * height
    else { return }
    let pixels = [UInt8](data)
    report.withLock { report in
      report.looks += 1
      var lit = 0
      for y in stride(from: 2, to: height, by: 4) {
        for x in stride(from: 2, to: width, by: 4) {
          let place = y * row + 4 * x
          let (blue, green, red) = (Int(pixels[place]), Int(pixels[place + 1]), Int(pixels[place + 2]))
          if y == 2, red + green + blue > 60 { lit = x }
          guard isWrong(red, green, blue) else { continue }
          report.wrong += 1
          if report.examples.count < 8 {
            report.examples.append("look \(report.looks) at \(x), \(y): \(red) \(green) \(blue)")
          }
        }
      }
      report.widths.insert(lit)
    }
  }

  /// The readings so far.
  var seen: Report { report.withLock { $0 } }

  func end() -> Report {
    isOver.store(true, ordering: .releasing)
    ended.wait()
    return report.withLock { $0 }
  }
}
