import Glibc
import Parley
import Synchronization

/// Asks the person for a secret, which the terminal doesn't show.
enum PasscodePrompt {
  private static let maximumBytes = 1_024
  /// The terminal as it was, while it shows nothing.
  private static let saved = Mutex<termios?>(nil)

  /// The next line of standard input; a terminal is asked with `question`.
  static func ask(_ question: String) async throws(CommandGroup.Failure) -> Secret<String> {
    if isatty(0) == 1 {
      CommandLineText.complain(question)
      hide()
    }
    defer { restore() }
    // Reading blocks, and a signal has to get through all the same.
    guard let text = await OwnThread.run({ line() }), let text else {
      throw CommandGroup.Failure(description: "Standard input has no passcode.")
    }
    return text
  }

  /// A new passcode, which a terminal is asked for twice.
  static func askNew(_ question: String) async throws(CommandGroup.Failure) -> Secret<String> {
    let first = try await ask(question)
    guard isatty(0) == 1 else { return first }
    guard try await ask("Once more:") == first else {
      throw CommandGroup.Failure(description: "The two passcodes differ.")
    }
    return first
  }

  /// Ends the program because of a signal, with the terminal as it was.
  static func abandon(_ signal: Int32) -> Never {
    restore()
    _exit(128 + signal)
  }

  private static func hide() {
    saved.withLock { saved in
      var shown = termios()
      guard tcgetattr(0, &shown) == 0 else { return }
      var hidden = shown
      hidden.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(0, TCSAFLUSH, &hidden)
      saved = shown
    }
  }

  private static func restore() {
    saved.withLock { saved in
      guard var shown = saved else { return }
      tcsetattr(0, TCSAFLUSH, &shown)
      saved = nil
    }
  }

  /// One line, byte by byte, since what comes after it is for others. Nil at the end, and when it is too long.
  private static func line() -> Secret<String>? {
    var bytes: [UInt8] = []
    while bytes.count < maximumBytes {
      var byte: UInt8 = 0
      let count = read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, byte != UInt8(ascii: "\n") else {
        return bytes.isEmpty ? nil : Secret(String(decoding: bytes, as: UTF8.self))
      }
      bytes.append(byte)
    }
    return nil
  }
}
