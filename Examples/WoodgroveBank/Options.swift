import Foundation

/// The options of the command line.
struct Options {
  /// The server that makes meetings and gives tokens; nil leaves what the settings say.
  var server: String?
  var isHeadless = false
  /// Steps to do, one a line; `-` reads them from standard input.
  var script: String?
  /// The size of the window.
  var size: (width: Double, height: Double)?

  static let usage = """
    WoodgroveBank [--server URL] [--size WIDTHxHEIGHT] [--headless] [--script FILE]
      --server URL      the meeting server, instead of the two addresses in the settings
      --headless        without a window; steps from standard input
      --script FILE     does the steps in a file, or with - those from standard input, and tells what is on the screen:
                        press TITLE, answer TITLE, fill FIELD = TEXT, turn SWITCH = on, row TEXT, see TEXT, save FILE, size WxH, quit
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(_ option: String) throws -> String {
      guard let text = rest.popFirst() else { throw OptionsError("\(option) needs a value.\n\(Self.usage)") }
      return text
    }
    while let option = rest.popFirst() {
      switch option {
      case "--server": server = try Self.server(try value(option))
      case "--headless": isHeadless = true
      case "--script": script = try value(option)
      case "--size": size = try Self.size(try value(option))
      case "--help":
        print(Self.usage)
        exit(0)
      default: throw OptionsError("\(option) is not known.\n\(Self.usage)")
      }
    }
    if isHeadless { script = script ?? "-" }
  }

  /// An address that a request can be sent to.
  static func server(_ text: String) throws -> String {
    guard let url = Settings.url(text) else {
      throw OptionsError(
        "--server \(text) is no address of a server: expected is one with http:// or https://, such as \(Settings.server)."
      )
    }
    return url.absoluteString
  }

  /// A size such as 375x667.
  static func size(_ text: String) throws -> (width: Double, height: Double) {
    let numbers = text.split(separator: "x").compactMap { Double($0) }
    guard numbers.count == 2, numbers.allSatisfy({ (100...4_000).contains($0) }) else {
      throw OptionsError("\(text) is no size: expected is a width and a height, such as 375x667.")
    }
    return (numbers[0], numbers[1])
  }
}

struct OptionsError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
