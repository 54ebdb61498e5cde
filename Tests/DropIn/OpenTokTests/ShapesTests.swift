import OpenTok
import ParleyViews
import Testing

@testable import OpenTokShapes

/// The shapes of apps' code that did not compile once do what they say.
@MainActor @Suite struct ShapesTests {
  @Test("a double of a session takes calls, with the app's capabilities and errors")
  func doubles() throws {
    let session = try #require(SessionDouble(apiKey: "100", sessionId: "room", delegate: nil))
    var error: OTError?
    session.connect(withToken: "token", error: &error)
    let stream = StreamDouble(id: "s")
    session.forceMuteStream(stream, error: &error)
    #expect(session.calls == ["connect token", "mute s"] && session.capabilities?.canForceMute == false)
    let subscriber = try #require(TaggedSubscriber(stream: stream, delegate: nil))
    session.subscribe(subscriber, error: &error)
    #expect(error?.code == 1011 && subscriber.audioVolume == 50 && subscriber.session.sessionId.isEmpty)
    #expect(Problems.text(try #require(error)) == "other" && stream.connection.connectionId == "cs")
    #expect(
      session.connection?.connectionId == "own" && VideoReceivedDouble().senderStats?.connectionEstimatedBandwidth == 1)
    #expect(try #require(NamedSession(name: "room", delegate: nil)).sessionId == "room")
    #expect(QuietPublisher(delegate: nil)?.view == nil && MadeStatistics.sent.audioPacketsSent == 2)
  }

  @Test("servers beyond the limit give an NSError, unsubscribed reports an OTError")
  func errors() throws {
    let (count, error) = OwnServers.add(to: Relays.config(.custom, .relay))
    #expect(count == OTSessionICEConfig.maxTURNServersLimit() && error.code == 1011)
    let subscriber = try #require(OTSubscriber(stream: StreamDouble(id: "s"), delegate: nil))
    #expect(Reports.ask(subscriber, nil)?.code == 1010)
  }

  @Test("a collection of an app's own layout makes the cells that its screen names")
  func collection() {
    let screen = TilesScreen(collectionViewLayout: HalvesLayout())
    screen.view.frame = CGRect(x: 0, y: 0, width: 100, height: 200)
    screen.names = ["Ann", "Ben"]
    #expect(screen.collectionView.visibleCells.map(\.accessibilityLabel) == ["Ann", "Ben"])
    #expect(screen.collectionView.visibleCells.map(\.frame.minY) == [0, 100])
    screen.names = ["Ben"]
    #expect(screen.collectionView.visibleCells.map(\.frame.height) == [200])
  }
}
