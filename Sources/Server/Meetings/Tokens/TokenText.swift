import Basics
import FoundationEssentials

/// The JSON of a token, before anything of it is believed.
enum TokenText {
  /// Any JSON value, read for its grammar alone.
  private struct AnyJSON: Decodable { init(from decoder: any Decoder) throws {} }

  /// Levels of nesting that a token may have; no form of token has more than four.
  private static let maximumDepth = 16

  /// The ambiguity of a header or claims, as the end of a sentence; nil when there is none. A name that is there twice
  /// is refused (RFC 7515 section 4, RFC 7519 section 4), as in everything else that is sent to the server.
  static func problem(in json: [UInt8]) -> String? {
    let unreadable = "it is not JSON that can be read"
    do throws(JSONScan.Problem) {
      try JSONScan.check(json, maximumDepth: maximumDepth)
    } catch {
      return switch error {
      case .duplicateKey(let name): "\(name) is there twice"
      case .tooDeep: "it is nested too deep"
      case .notJSON, .combiningMarks: unreadable
      }
    }
    return (try? JSONDecoder().decode(AnyJSON.self, from: Data(json))) == nil ? unreadable : nil
  }
}
