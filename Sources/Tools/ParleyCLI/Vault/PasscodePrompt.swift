import Glibc
import Parley

/// Asks the person for a secret, which the terminal doesn't show.
enum PasscodePrompt {
  private static let maximumBytes = 1_024

  /// The next line of standard input; a terminal is asked with `question`.
  static func ask(_ question: String) throws(CommandGroup.Failure) -> Secret<String> {
    guard isatty(0) == 1 else { return try line() }
    CommandLineText.complain(question)
    var saved = termios()
    let isSilent = tcgetattr(0, &saved) == 0
    if isSilent {
      var silent = saved
      silent.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(0, TCSAFLUSH, &silent)
    }
    defer { if isSilent { tcsetattr(0, TCSAFLUSH, &saved) } }
    return try line()
  }

  /// A new passcode, which a terminal is asked for twice.
  static func askNew(_ question: String) throws(CommandGroup.Failure) -> Secret<String> {
    let first = try ask(question)
    guard isatty(0) == 1 else { return first }
    guard try ask("Once more:") == first else {
      throw CommandGroup.Failure(description: "The two passcodes differ.")
    }
    return first
  }

  /// One line, byte by byte: what comes behind it is for others.
  private static func line() throws(CommandGroup.Failure) -> Secret<String> {
    var bytes: [UInt8] = []
    while bytes.count < maximumBytes {
      var byte: UInt8 = 0
      let count = read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { break }
      if byte == UInt8(ascii: "\n") { return Secret(String(decoding: bytes, as: UTF8.self)) }
      bytes.append(byte)
    }
    guard !bytes.isEmpty, bytes.count < maximumBytes else {
      throw CommandGroup.Failure(description: "Standard input has no passcode.")
    }
    return Secret(String(decoding: bytes, as: UTF8.self))
  }
}
