import Parley
import Testing

@testable import ParleyCLI

@Suite struct ScreenRowTests {
  /// A row's text without the sequences that colour it.
  private func plain(_ row: ScreenRow, _ columns: Int) -> String {
    row.text(columns).replacing(/\u{1B}\[[0-9]*m/, with: "")
  }

  private func troubledRow() -> ScreenRow {
    var row = ScreenRow(participant: "p1")
    row.name = "Somebody with quite a long name"
    row.bitrate = .kilobits(1_250)
    row.show(25, 1_280, 720)
    row.loss = 0.123
    row.quality = .poor
    return row
  }

  @Test(
    "loss and quality are readable at 60 columns, and lines fill the terminal's width",
    arguments: [40, 60, 79, 80, 132])
  func narrow(_ columns: Int) {
    let text = plain(troubledRow(), columns)
    #expect(text.count == columns)
    if columns >= 60 { #expect(text.contains("lost 12.3 %  poor"), "\(text)") }
    if columns >= 132 { #expect(text.contains("1.2 Mb/s  1280×720  25 fps"), "\(text)") }
  }

  @Test("A row without trouble begins with its bitrate")
  func quiet() {
    var row = troubledRow()
    row.loss = 0
    row.quality = .good
    #expect(plain(row, 80).contains("··········  1.2 Mb/s  1280×720  25 fps"))
  }

  @Test("rows that don't fit are counted, and speakers come before silent people")
  func more() {
    let all = ScreenRow.shown(of: 10, room: 10) { _ in false }
    #expect(all.rows == Array(0..<10) && all.hidden == 0)
    let some = ScreenRow.shown(of: 16, room: 10) { $0 == 14 || $0 == 3 }
    #expect(some.rows == [0, 3, 14, 1, 2, 4, 5, 6, 7])
    #expect(some.hidden == 7)
    let none = ScreenRow.shown(of: 16, room: 1) { _ in true }
    #expect(none.rows.isEmpty && none.hidden == 16)
  }
}
