import Glibc

/// Text to and from the person at the command line.
enum CommandLineText {
  static let help = """
    Parley: meetings on your own server.

    Usage: parley <command> [options]

    Commands:
      serve     run a server
      demo      run a server with a live meeting at /hello
      join      take part in a meeting from the terminal
      load      load a server with participants and measure
      version   print the version
      help      print this text

    parley <command> --help lists the options of a command.
    """

  /// The path of this program; the name it was called by where the system does not say.
  static var program: String {
    var bytes = [CChar](repeating: 0, count: 4_096)
    let count = readlink("/proc/self/exe", &bytes, bytes.count - 1)
    guard count > 0 else { return CommandLine.arguments.first ?? "parley" }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Writes to standard output at once, so that a program reading along sees whole lines.
  static func say(_ text: String) {
    print(text, terminator: "")
    fflush(nil)
  }

  /// Writes one sentence to standard error.
  static func complain(_ text: String) {
    var line = "parley: " + text + "\n"
    line.withUTF8 { bytes in _ = write(2, bytes.baseAddress, bytes.count) }
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
