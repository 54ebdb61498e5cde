import Basics
import Foundation
import Testing

/// The cases of `initials.json`, which the browser client's test reads too.
@Suite("Initials")
struct InitialsTests {
  struct Case: Decodable, Sendable {
    var name: String
    var initials: String
  }

  @Test("the initials are those of the table that both clients share")
  func table() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("initials.json")
    let cases = try JSONDecoder().decode([Case].self, from: try Data(contentsOf: file))
    #expect(cases.count > 30)
    for each in cases {
      #expect(
        Array(Initials.of(each.name).unicodeScalars) == Array(each.initials.unicodeScalars), "\(each.name)")
    }
  }
}
