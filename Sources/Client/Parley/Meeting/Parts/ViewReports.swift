import Signaling

/// The sizes at which slots are shown, as the server knows them.
struct ViewReports {
  /// A slot with a subscription.
  struct Slot {
    var mid: String
    var publication: String
    /// Nil when nothing was said of the subscription.
    var view: SlotView?
  }

  private struct Report {
    var publication: String
    var view: SlotView
  }

  /// The most views in one message.
  private static let viewsPerMessage = 64

  /// By m-section.
  private var reports: [String: Report] = [:]

  var isEmpty: Bool { reports.isEmpty }

  /// The views that the server doesn't know, a message each.
  func changes(in slots: [Slot]) -> [[SlotView]] {
    let changed = slots.compactMap { slot -> SlotView? in
      let report = reports[slot.mid]
      // The server forgets a slot's view when the slot carries something else, unless it was reported at that moment.
      let isKnown = report?.publication == slot.publication
      let most = Int(UInt16.max)
      guard let view = slot.view ?? (report == nil ? nil : SlotView(mid: slot.mid, width: most, height: most)),
        !isKnown || report?.view != view
      else { return nil }
      return view
    }
    return stride(from: 0, to: changed.count, by: Self.viewsPerMessage).map {
      Array(changed[$0..<min($0 + Self.viewsPerMessage, changed.count)])
    }
  }

  /// The server has got these views of these slots.
  mutating func add(_ views: [SlotView], of slots: [Slot]) {
    for view in views {
      let publication = slots.last { $0.mid == view.mid }?.publication
      reports[view.mid] = Report(publication: publication ?? "", view: view)
    }
  }

  /// The slots are other ones, or the server is.
  mutating func removeAll() { reports = [:] }
}
