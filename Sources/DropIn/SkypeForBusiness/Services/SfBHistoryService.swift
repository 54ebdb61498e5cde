/// The messages of a conversation, and who came and went. It can be read after the end, too.
@preconcurrency @MainActor public final class SfBHistoryService: SfBConversationService {
  /// The items in order, oldest first.
  @SfBObserved public private(set) var activityItems: [SfBConversationActivityItem] = []

  override class var keys: [ObservableKey] {
    super.keys + [.array("activityItems", \SfBHistoryService.activityItems)]
  }

  func add(_ item: SfBConversationActivityItem) { activityItems.append(item) }
}
