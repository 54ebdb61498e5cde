import Foundation
import OpenTok
import UIKit

private let widgetHeight: CGFloat = 240
private let widgetWidth: CGFloat = 320

/// Publishes to a session and subscribes to one stream of it: your own video above, the other one below.
class ViewController: UIViewController {
  private var session: OTSession?
  private var publisher: OTPublisher?
  private var subscriber: OTSubscriber?
  private var settings: Settings
  private let log: (String, [String: String]) -> Void
  /// The texts in place of a missing video: above for your own one, with a button for a possible action, below for the
  /// other.
  private let upperNote = UILabel(frame: .zero)
  private let upperButton = UIButton(type: .system)
  private let upperPanel = UIView(frame: .zero)
  private let lowerNote = UILabel(frame: .zero)

  init(_ settings: Settings, log: @escaping (String, [String: String]) -> Void) {
    self.settings = settings
    self.log = log
    super.init(nibName: nil, bundle: nil)
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "OpenTok Hello"
    view.backgroundColor = UIColor(white: 0.13, alpha: 1)
    for note in [upperNote, lowerNote] {
      note.textColor = UIColor(white: 0.85, alpha: 1)
      note.font = .systemFont(ofSize: 14)
      note.textAlignment = .center
      note.numberOfLines = 0
    }
    upperPanel.backgroundColor = view.backgroundColor
    upperButton.addTarget(self, action: ViewController.tryAgain, for: .touchUpInside)
    for part in [upperNote, upperButton] { upperPanel.addSubview(part) }
    for part in [upperPanel, lowerNote] { view.addSubview(part) }
    sayAbove("Connecting…")
    settings.complete { [weak self] result in MainActor.assumeIsolated { self?.begin(result) } }
  }

  private func begin(_ result: Result<Settings, SettingsError>) {
    switch result {
    case .success(let settings):
      self.settings = settings
      session = OTSession(sessionId: settings.sessionId, andDelegate: self)
      doConnect()
    case .failure(let error):
      if settings.isHeadless { Settings.fail(error.description) }
      showEnd(error.description)
    }
  }

  // MARK: Places

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let (upper, lower) = places
    publisher?.view?.frame = upper
    subscriber?.view?.frame = lower
    let isBehind = upperPanel.superview === view
    upperPanel.frame = isBehind ? upper : CGRect(origin: .zero, size: upper.size)
    upperNote.frame = upperPanel.bounds.insetBy(dx: 12, dy: 12)
    if !upperButton.isHidden {
      // Below it is room for what a tap shows on a picture.
      upperButton.frame = CGRect(x: upper.width / 2 - 75, y: upper.height - 80, width: 150, height: 34)
      upperNote.frame.size.height = max(upperButton.frame.minY - 24, 0)
    }
    lowerNote.frame = lower.insetBy(dx: 12, dy: 12)
    // Texts behind a video are not read out either.
    upperPanel.isHidden = isBehind && publisher?.view?.superview === view
    lowerNote.isHidden = subscriber?.view?.superview === view && subscriber?.view?.isHidden == false
  }

  /// The places of the two videos: one above the other, in their shape, as large as the window lets them.
  private var places: (upper: CGRect, lower: CGRect) {
    let bounds = view.bounds
    let width = min(bounds.width, bounds.height / 2 * widgetWidth / widgetHeight)
    let height = width * widgetHeight / widgetWidth
    let upper = CGRect(x: (bounds.width - width) / 2, y: bounds.height / 2 - height, width: width, height: height)
    return (upper, upper.offsetBy(dx: 0, dy: height))
  }

  // MARK: Doing

  func doConnect() { session?.connect(withApiKey: settings.apiKey, token: settings.token) }

  func doPublish() {
    sayAbove("Starting the camera…")
    publisher = OTPublisher(delegate: self)
    publisher?.name = UIDevice.current.name
    session?.publish(publisher)
    guard let preview = publisher?.view else { return }
    view.addSubview(preview)
  }

  /// Subscribes to the first stream that fits.
  func updateSubscriber() {
    guard subscriber == nil, let session else { return }
    for stream in session.streams.values where isWanted(stream) {
      subscriber = OTSubscriber(stream: stream, delegate: self)
      break
    }
  }

  /// With `--self` the app's own stream is subscribed to, otherwise that of somebody else.
  private func isWanted(_ stream: OTStream) -> Bool {
    (stream.connection.connectionId == session?.connection?.connectionId) == settings.subscribeToSelf
  }

  /// The action of the button above: turns the video on, or publishes again. The publisher's callbacks report a
  /// refusal.
  func tryAgain() {
    if let publisher { publisher.publishVideo = true } else { doPublish() }
  }

  func disconnect() { session?.disconnect() }

  /// Shows a text in place of your own video, with a button if there is a possible action. The text covers video that
  /// isn't sent; a tap still shows the video's tools, such as the button that mutes.
  private func sayAbove(_ text: String, button: String? = nil, covers: Bool = false) {
    upperNote.text = text
    upperButton.setTitle(button, for: .normal)
    upperButton.isHidden = button == nil
    upperPanel.removeFromSuperview()
    if covers, let preview = publisher?.view {
      preview.addSubview(upperPanel)
    } else {
      view.insertSubview(upperPanel, at: 0)
    }
    view.setNeedsLayout()
  }

  private var nobodyElse: String {
    "Nobody else is here yet. Open \(settings.server)/browser_demo.html to be seen here."
  }

  private func showReconnecting(_ isReconnecting: Bool) {
    subscriber?.view?.isHidden = isReconnecting
    lowerNote.text = isReconnecting ? "Reconnecting…" : nobodyElse
    view.setNeedsLayout()
  }

  private func showAlert(_ string: String) {
    log("alert", ["text": string])
    let alert = UIAlertController(title: "Message from video session", message: string, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default))
    present(alert, animated: true)
  }

  /// Nothing comes any more: says why.
  private func showEnd(_ why: String) {
    (publisher, subscriber) = (nil, nil)
    sayAbove("Not connected.")
    lowerNote.text = ""
    showAlert(why)
  }
}

// MARK: - The session

extension ViewController: OTSessionDelegate {
  func sessionDidConnect(_ session: OTSession) {
    log("connected", ["connection": session.connection?.connectionId ?? ""])
    lowerNote.text = nobodyElse
    doPublish()
  }

  // A last picture would look as if it were live: the words stand in its place until the connection is back.
  func sessionDidBeginReconnecting(_ session: OTSession) {
    log("reconnecting", [:])
    showReconnecting(true)
  }

  func sessionDidReconnect(_ session: OTSession) {
    log("reconnected", [:])
    showReconnecting(false)
  }

  func sessionDidDisconnect(_ session: OTSession) {
    log("disconnected", [:])
    showEnd("Session disconnected: \(session.sessionId)")
  }

  func session(_ session: OTSession, didReceive stream: OTStream) {
    log("received", ["stream": stream.streamId, "name": stream.name ?? ""])
    if subscriber == nil, isWanted(stream) { subscriber = OTSubscriber(stream: stream, delegate: self) }
  }

  func session(_ session: OTSession, didDrop stream: OTStream) {
    log("dropped", ["stream": stream.streamId])
    guard subscriber?.stream?.streamId == stream.streamId else { return }
    subscriber = nil
    updateSubscriber()
  }

  func session(_ session: OTSession, didFailWithError error: OTError) {
    log("failed", ["error": error.description])
    let why = "There was an error connecting to session \(session.sessionId): \(error.localizedDescription)"
    showEnd(why)
    if settings.isHeadless { Settings.fail(why) }
  }

  func session(
    _ session: OTSession, receivedSignalType type: String?, from connection: OTConnection?, with string: String?
  ) {
    let isOwn = connection?.connectionId == session.connection?.connectionId
    log("signal", ["type": type ?? "", "data": string ?? "", "own": "\(isOwn)"])
    // The app answers a question, so that both directions can be seen. It answers the sender alone, since a signal of
    // the app's server has no sender and its answer would go to everybody. The answer has another type, so that no app
    // answers an answer.
    if type == "hello", let connection, !isOwn {
      session.signal(
        withType: "hello-back", string: "Back from the app: \(string ?? "")", connection: connection, error: nil)
    }
  }
}

// MARK: - The streams

extension ViewController: OTPublisherDelegate, OTSubscriberDelegate {
  func publisherDidStartStreaming(_ publisher: OTPublisherKit) { log("publishing", [:]) }

  /// The app ends nothing by itself: where the publisher belongs to no session any more, somebody else has. A new
  /// connection begins it again.
  func publisherDidStopStreaming(_ publisher: OTPublisherKit) {
    log("stopped", [:])
    guard publisher.session == nil else { return }
    self.publisher = nil
    sayAbove("You are not seen or heard: a moderator has ended your stream.", button: "Publish again")
  }

  // Nor does it turn the picture off.
  func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    log("pictureOff", [:])
    sayAbove("You are not seen: a moderator has turned your camera off.", button: "Turn camera on", covers: true)
  }

  func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    log("pictureOn", [:])
    sayAbove("")
  }

  func muteForced(_ publisher: OTPublisherKit) {
    showAlert("A moderator has muted you. A tap on your picture shows the button that unmutes.")
  }

  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {
    self.publisher?.view?.removeFromSuperview()
    self.publisher = nil
    sayAbove("You are not seen.", button: "Try again")
    showAlert("There was an error publishing: \(error.localizedDescription)")
  }

  func subscriberDidConnect(toStream subscriber: OTSubscriberKit) {
    guard let view = self.subscriber?.view else { return }
    self.view.addSubview(view)
    log("subscribed", ["stream": subscriber.stream?.streamId ?? ""])
  }

  func subscriberVideoDataReceived(_ subscriber: OTSubscriber) {
    log("picture", ["stream": subscriber.stream?.streamId ?? ""])
  }

  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) {
    log("subscriberFailed", ["error": error.description])
    self.subscriber = nil
    showAlert(
      "There was an error subscribing to stream \(subscriber.stream?.streamId ?? ""): \(error.localizedDescription)")
  }

  /// The picture of the subscriber as PNG; nil before there is one.
  func snapshot() -> Data? {
    var image: Data?
    (subscriber?.view as? OTVideoView)?.getImageWithBlock { image = $0?.pngData() }
    return image
  }
}
