import Foundation
import Messaging
import Testing

@testable import Meetings

@Suite("Stored keys of apps")
struct KeyRecordTests {
  private func record(_ text: String) -> KeyRecord? { KeyRecord(json: Array(text.utf8)) }

  @Test("a record is read as a JSON decoder reads it, and other texts are refused")
  func grammar() throws {
    let text = #"{ "a" : [ 1, -2.5e1 ,"x\u00e9\n\"]", true,false ,null ] , "b\/" : { } ,"c":[ ], "é":"ü" }"#
    let read = try #require(record(text))
    #expect(
      read.members == [
        "a": .list([.number(1), .number(-25), .text("xé\n\"]"), .truth(true), .truth(false), .null]),
        "b/": .object([:]), "c": .list([]), "é": .text("ü"),
      ])
    #expect(try KeyRecord(json: read.json()) == read)
    for text in [
      "", "[]", "1", "{", "{}{}", "{}x", #"{"a":1,}"#, #"{"a"}"#, #"{"a":}"#, #"{"a":[1 2]}"#, #"{"a":[1,]}"#,
      #"{a:1}"#, #"{"a":tru}"#, #"{"a":01}"#, #"{"a":1e999}"#, #"{"a":+1}"#, #"{"a":.}"#, #"{"a":"\x"}"#,
      "{\"a\":\"\n\"}", #"{"a":1,"a":2}"#, #"{"a":[}]"#, #"{"a" 1}"#, #"{1:1}"#, #"{"a":nul"#,
    ] { #expect(record(text) == nil, "\(text)") }
  }

  @Test("threat 55: a record has a bounded number of values and levels, also when changed")
  func bounds() throws {
    // The object, its list, and the list's elements.
    func list(_ count: Int) -> String { "[" + Array(repeating: #""""#, count: count).joined(separator: ",") + "]" }
    let most = MessagingLimits.keyRecordValues
    #expect(record(#"{"a":\#(list(most - 2))}"#) != nil && record(#"{"a":\#(list(most - 1))}"#) == nil)
    func nested(_ depth: Int) -> String {
      #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }
    let deepest = MessagingLimits.keyRecordDepth
    #expect(record(nested(deepest)) != nil && record(nested(deepest + 1)) == nil)

    func change(_ part: String, _ count: Int) -> [UInt8] { Array(#"{"keys":{"\#(part)":\#(list(count))}}"#.utf8) }
    let half = try #require(KeyRecord().applying(change("public", most / 2)))
    #expect(half.applying(change("private", most / 2 - 3)) != nil)
    #expect(half.applying(change("private", most / 2 - 2)) == nil)
    #expect(half.applying(change("public", most / 2)) != nil)
  }

  @Test("a record that another device has changed meanwhile isn't overwritten")
  func conflicts() async throws {
    let world = try await MailboxWorld()
    let id = world.domain.id
    func put(_ json: String, _ known: String?) async throws -> Bool {
      try await world.store.mailboxes { try $0.put(keyRecord: json, ifStill: known, of: "ann", in: id) }
    }
    var stored: [Bool] = []
    for (json, known) in [("{}", "{ }"), ("{}", nil), ("[1]", nil), ("{ }", "{}"), ("[2]", "{}")] {
      stored.append(try await put(json, known))
    }
    #expect(stored == [false, true, false, true, false])
    #expect(try await world.store.mailboxes { try $0.keyRecord(of: "ann", in: id) } == "{ }")
  }
}
