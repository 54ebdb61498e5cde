import Foundation

/// The options of the command line.
struct Options {
  /// The server; nil leaves what ConfigSettings.plist says.
  var server: String?
  var domain: String?
  var user: String?
  var passcode: String?
  /// Given where the passcode counts as forgotten.
  var newPasscode: String?
  /// Seconds until it stops.
  var duration: Double?
  /// The folder that stands in for the user's data folder.
  var data: String?
  var isHeadless = false
  var wantsHelp = false

  static let usage = """
    QuickStart [--server URL] [--domain ID]
    QuickStart --headless --server URL --domain ID --user NAME --passcode P [--new-passcode P] [--duration S] [--data DIR]
      --server URL      the server, instead of the one in ConfigSettings.plist
      --domain ID       the domain, as `parley domain create` prints it
      --headless        without a window: prints JSON lines, and reads commands from standard input, one JSON object a line:
                        {"command":"signOut"}, {"command":"signIn","user":NAME}, {"command":"passcode","passcode":P},
                        {"command":"stop"}
      --user NAME       who signs in
      --passcode P      the passcode of the user's keys
      --new-passcode P  forgets the passcode in use, and makes new keys with this one
      --duration S      stops after so many seconds; without it, after a command, or when standard input has ended
      --data DIR        where this endpoint keeps its data
    The status is 0 when the setup succeeded, and 1 otherwise, with the reason on standard error.
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(_ option: String) throws -> String {
      guard let text = rest.popFirst() else { throw OptionsError("\(option) needs a value.\n\(Self.usage)") }
      return text
    }
    while let option = rest.popFirst() {
      switch option {
      case "--server": server = try value(option)
      case "--domain": domain = try value(option)
      case "--user": user = try value(option)
      case "--passcode": passcode = try value(option)
      case "--new-passcode": newPasscode = try value(option)
      case "--data": data = try value(option)
      case "--headless": isHeadless = true
      case "--help", "-h": wantsHelp = true
      case "--duration":
        let text = try value(option)
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
          throw OptionsError("--duration \(text) is no number of seconds, such as 30 or 0.5.\n\(Self.usage)")
        }
        duration = seconds
      default: throw OptionsError("\(option) is not known.\n\(Self.usage)")
      }
    }
    if isHeadless, !wantsHelp, domain == nil || user == nil || passcode == nil {
      throw OptionsError("--headless needs --domain, --user and --passcode.\n\(Self.usage)")
    }
  }

  /// The data folder of this process. Without a window each user has one, so that several can run on one computer.
  var folder: String? {
    if let data { return URL(fileURLWithPath: data).path }
    guard isHeadless, let user else { return nil }
    let name = user.map { $0.isLetter || $0.isNumber ? "\($0)" : $0.unicodeScalars.map { "_\($0.value)" }.joined() }
    return NSHomeDirectory() + "/.local/share/quick-start/" + name.joined()
  }
}

struct OptionsError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
