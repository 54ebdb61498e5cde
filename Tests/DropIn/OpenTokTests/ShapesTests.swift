import Parley
import ParleyViews
import Testing

@testable import OpenTok
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

  @Test("doubles of settings, permissions, frames and errors answer for the app")
  func mediaDoubles() throws {
    let settings: OTSessionSettings = FixedSettings()
    #expect(settings.iceConfig?.transportPolicy == .relay && settings.iceConfig?.customIceServers == nil)
    #expect(FixedRelays.maxTURNServersLimit() == 1 && Moderator().canForceMute && MutedInfo().active)
    let (screen, error) = (ScreenSettings(), NamedError(domain: OT_SESSION_ERROR_DOMAIN, code: 1, userInfo: nil))
    #expect(screen.cameraResolution == .high && error.description == "named" && SmallFormat().imageWidth == 16)
    #expect(UprightFrame().getPlaneStride(9) == 16 && WideAudio().sampleRate == 48_000)
    #expect(NamedFilter(name: "dark", transformer: Darkener())?.title == "dark")
    #expect(MutedMicrophones.settings().allowAudioCaptureWhileMuted && Preferences.codec == 3)
    #expect(Preferences.settings().videoCodecPreference?.codecs == [2])
    #expect(
      try #require(ApplicationSession(applicationId: "app", sessionId: "room", delegate: nil)).sessionId == "room")
  }

  @Test("servers beyond the limit give an NSError, unsubscribed reports an OTError")
  func errors() throws {
    let (count, error) = OwnServers.add(to: Relays.config(.custom, .relay))
    #expect(count == OTSessionICEConfig.maxTURNServersLimit() && error.code == 1011)
    let subscriber = try #require(OTSubscriber(stream: StreamDouble(id: "s"), delegate: nil))
    #expect(Reports.ask(subscriber, nil)?.code == 1010)
  }

  @Test("a red screen that Core Graphics drew is red in the frame that is sent")
  func screen() throws {
    UIGraphicsBeginImageContextWithOptions(CGSize(width: 16, height: 16), true, 1)
    UIGraphicsGetCurrentContext()?.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    UIGraphicsGetCurrentContext()?.fill(CGRect(x: 0, y: 0, width: 16, height: 16))
    let image = try #require(UIGraphicsGetImageFromCurrentImageContext()?.cgImage)
    UIGraphicsEndImageContext()
    let consumer = FirstColour()
    ScreenFrames.send(image, to: consumer)
    // Red by ITU-R BT.601 in Y, U and V, to the nearest number or the next.
    #expect(consumer.colour.count == 3)
    #expect(zip(consumer.colour, [81, 90, 240]).allSatisfy { abs(Int($0) - $1) <= 1 })
  }

  @Test("a method that takes a notification as the class gets its name and contents")
  func notifications() {
    let screen = CallsScreen()
    screen.viewWillAppear(false)
    NotificationCenter.default.post(name: CallsScreen.changed, object: nil, userInfo: ["action": "end"])
    screen.viewDidDisappear(false)
    NotificationCenter.default.post(name: CallsScreen.changed, object: nil)
    #expect(screen.actions == ["end"])
    #expect(CallbackDevice().setUp() == noErr)
  }

  @Test("the label of a button has the title of its state")
  func titles() {
    let screen = CallButtons()
    screen.loadViewIfNeeded()
    screen.button.sendActions(for: .touchUpInside)
    #expect(screen.isCalling && screen.button.titleLabel?.text == "End call")
    screen.button.setTitle("Busy", for: .disabled)
    screen.button.isEnabled = false
    #expect(screen.button.titleLabel?.text == "Busy")
  }

  @Test("a collection in rows has cells of the app's class and size")
  func rows() throws {
    let screen = PeopleScreen()
    screen.loadViewIfNeeded()
    let people = try #require(screen.people)
    people.layoutIfNeeded()
    let cells = try #require(people.visibleCells as? [PersonCell])
    #expect(cells.map(\.name) == ["Ann", "Ben", "Cy"])
    #expect(cells.map(\.frame.origin) == [CGPoint(x: 0, y: 0), CGPoint(x: 100, y: 0), CGPoint(x: 0, y: 80)])
  }

  @Test("an alert of a screen without a parent yet can be dismissed")
  func earlyAlert() throws {
    let (screen, parent) = (JoiningScreen(), UIViewController())
    screen.loadViewIfNeeded()
    parent.addChild(screen)
    parent.view.addSubview(screen.view)
    screen.didMove(toParent: parent)
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    window.rootViewController = parent
    window.makeKeyAndVisible()
    defer { window.close() }
    let alert = try #require(screen.presentedViewController as? UIAlertController)
    alert.choose(alert.actions[0])
    #expect(screen.answers == ["ok"] && screen.presentedViewController == nil && alert.view.window == nil)
    #expect(Servers.host(Servers.settings("https://meet.example.com/")) == "meet.example.com")
    #expect(TopScreens.channels(.sharedInstance()) == [1, 2])
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

/// The first pixel of the frame that comes, in planes.
private final class FirstColour: OTVideoCaptureConsumer {
  private(set) var colour: [UInt8] = []

  func consumeFrame(_ frame: OTVideoFrame) {
    guard let picture = frame.picture(at: MonotonicClock.now) else { return }
    colour = picture.withPlanes { y, u, v in [y[0], u[0], v[0]] }
  }

  func consumeImageBuffer(
    _ frame: CVImageBuffer, orientation: OTVideoOrientation, timestamp ts: CMTime, metadata: Data?
  ) -> Bool { false }
}
