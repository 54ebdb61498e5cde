import Glibc
import Parley
import Synchronization

/// Text to and from the person at the command line.
enum CommandLineText {
  /// The path of this program; the name it was called by where the system does not say.
  static var program: String {
    var bytes = [CChar](repeating: 0, count: 4_096)
    let count = readlink("/proc/self/exe", &bytes, bytes.count - 1)
    guard count > 0 else { return CommandLine.arguments.first ?? "parley" }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The first error of writing to standard output; 0 while all is well.
  private static let outputError = Atomic<Int32>(0)

  private struct Queues {
    let output: OutputQueue
    let errors: OutputQueue
  }

  private static let queues = Mutex<Queues?>(nil)

  /// From now on nothing waits for whoever reads standard output and standard error: for commands that take part in
  /// meetings or serve them. Lines that aren't read in time are dropped, and `notice` stands in its place; see
  /// `OutputQueue`.
  static func queueOutput(
    notice: @escaping @Sendable (Int) -> String?,
    errorNotice: @escaping @Sendable (Int) -> String? = { "parley: \($0) messages were not read in time.\n" }
  ) {
    queues.withLock { queues in
      guard queues == nil else { return }
      queues = Queues(
        output: OutputQueue(descriptor: 1, notice: notice), errors: OutputQueue(descriptor: 2, notice: errorNotice))
    }
  }

  /// Waits until everything said is written, as long as somebody reads it. True when nothing is lost; else that was
  /// said.
  static func drain() -> Bool {
    guard let queues = queues.withLock({ $0 }) else { return true }
    let lost = queues.output.drain()
    if lost > 0 { complain("Standard output was not read: \(lost) line\(lost == 1 ? " is" : "s are") lost.") }
    queues.errors.drain()
    return lost == 0
  }

  /// Why standard output can be written no more, in a sentence: whoever read it has gone, or its disk is full. Nil
  /// while all is well.
  static var outputProblem: String? {
    let queued = queues.withLock { $0?.output.writeError } ?? 0
    let code = queued != 0 ? queued : outputError.load(ordering: .relaxed)
    return code == 0 ? nil : "Standard output cannot be written: \(String(cString: strerror(code)))."
  }

  /// Writes to standard output at once, so that a program reading along sees whole lines. See ``outputProblem`` for
  /// what went wrong.
  static func say(_ text: String) {
    guard outputError.load(ordering: .relaxed) == 0 else { return }
    let code = put(text, to: 1)
    if code != 0 { outputError.store(code, ordering: .relaxed) }
  }

  /// Takes the complaints while a screen is drawn where standard error would be written.
  private static let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Gives every complaint to `listener` from now on; nil: to standard error again.
  static func setListener(_ listener: (@Sendable (String) -> Void)?) { self.listener.withLock { $0 = listener } }

  /// Says what went wrong in one sentence, on standard error unless a screen shows it; what came from others cannot
  /// steer the terminal with it.
  static func complain(_ text: String) {
    if let listener = listener.withLock({ $0 }) { return listener(text) }
    _ = put("parley: " + printable(text) + "\n", to: 2)
  }

  /// Writes everything, or queues it after ``queueOutput(notice:errorNotice:)``; returns the system's error code, 0 for
  /// none.
  static func put(_ text: String, to descriptor: Int32) -> Int32 {
    if let queues = queues.withLock({ $0 }) {
      let queue = descriptor == 1 ? queues.output : queues.errors
      queue.enqueue(text)
      return queue.writeError
    }
    return OutputQueue.write(text, to: descriptor)
  }

  /// Text of others, made safe for a terminal: control characters and direction overrides are taken out.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: scalar == " "
          default: true
          }
        }))
  }
}
