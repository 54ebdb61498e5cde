import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("The list of tokens")
struct TokenListTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test("each filter reads only what it asks for, in an index", arguments: [true, false], [true, false])
  func plans(ofTenant: Bool, ofRoom: Bool) async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    await store.close()
    let database = try SQLiteDatabase(path: folder.path + "/" + SQLiteMeetingStore.fileName)
    var values: [SQLiteValue] = [.number(9), .number(9)]
    if ofTenant { values.append(.text("n")) }
    if ofRoom { values.append(.text("r")) }
    var plan: [String] = []
    let sql = SQLiteMeetingStore.tokenList(ofTenant: ofTenant, ofRoom: ofRoom)
    try database.query("EXPLAIN QUERY PLAN " + sql, values) { plan.append($0.text(3)) }
    let text = plan.joined(separator: "; ")
    // Neither every token is looked at nor are those that were found sorted.
    #expect(!text.contains("SCAN") && !text.contains("TEMP B-TREE"), "\(text)")
    let expected =
      switch (ofTenant, ofRoom) {
      case (true, true): "tokens_by_room (tenant=? AND room_key=? AND sequence<?)"
      case (true, false): "tokens_by_tenant (tenant=? AND sequence<?)"
      case (false, true): "tokens_by_place (room_key=? AND sequence<?)"
      case (false, false): "INTEGER PRIMARY KEY (rowid<?)"
      }
    #expect(text.contains(expected), "\(text)")
  }

  @Test("tokens are listed by tenant, by room and by both, page by page")
  func lists() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenants = [TenantID.random(), TenantID.random()]
    try await store.record(
      (0..<8).map { index in
        TokenRecord(
          tenant: tenants[index % 2], id: TokenID(rawValue: "t\(index)"), form: .signed,
          room: index < 4 ? "Daily" : "other", name: nil, user: nil, role: .publisher, expires: now, issued: now,
          used: nil, uses: 0)
      })
    func found(_ tenant: TenantID?, _ room: String?, before: Int? = nil, limit: Int = 9) async throws -> [String] {
      try await store.tokens(tenant: tenant, room: room, before: before, limit: limit).map(\.id.rawValue)
    }
    #expect(try await found(nil, nil) == (0..<8).reversed().map { "t\($0)" })
    #expect(try await found(tenants[1], nil) == ["t7", "t5", "t3", "t1"])
    #expect(try await found(nil, "DAILY") == ["t3", "t2", "t1", "t0"])
    #expect(try await found(tenants[0], "daily") == ["t2", "t0"])
    #expect(try await found(tenants[0], "nowhere").isEmpty)
    let place = try await store.tokens(tenant: nil, room: nil, before: nil, limit: 9)[4].sequence
    #expect(try await found(nil, nil, before: place, limit: 2) == ["t2", "t1"])
    #expect(try await found(tenants[1], "daily", before: place) == ["t1"])
    await store.close()
  }
}
