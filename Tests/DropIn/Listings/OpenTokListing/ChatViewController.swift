// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import OpenTok
import UIKit

/// A screen in the spelling of version 2, whose delegates are extensions and whose alert says what failed.
class ChatViewController: UIViewController {
  var kApiKey = ""
  var kSessionId = ""
  var kToken = ""

  lazy var session: OTSession = {
    return OTSession(apiKey: kApiKey, sessionId: kSessionId, delegate: self)!
  }()

  lazy var publisher: OTPublisher = {
    let settings = OTPublisherSettings()
    settings.name = UIDevice.current.name
    return OTPublisher(delegate: self, settings: settings)!
  }()

  var subscriber: OTSubscriber?
  var log: [String] = []

  override func viewDidLoad() {
    super.viewDidLoad()
    doConnect()
  }

  fileprivate func doConnect() {
    var error: OTError?
    defer { processError(error) }
    session.connect(withToken: kToken, error: &error)
  }

  fileprivate func doPublish() {
    var error: OTError?
    defer { processError(error) }
    session.publish(publisher, error: &error)
    if let pubView = publisher.view {
      pubView.frame = CGRect(x: 0, y: 0, width: 320, height: 240)
      view.addSubview(pubView)
    }
  }

  fileprivate func doSubscribe(_ stream: OTStream) {
    var error: OTError?
    defer { processError(error) }
    subscriber = OTSubscriber(stream: stream, delegate: self)
    session.subscribe(subscriber!, error: &error)
  }

  fileprivate func cleanupSubscriber() {
    subscriber?.view?.removeFromSuperview()
    subscriber = nil
  }

  fileprivate func processError(_ error: OTError?) {
    guard let error = error else { return }
    DispatchQueue.main.async {
      let controller = UIAlertController(
        title: "Error", message: error.localizedDescription, preferredStyle: .alert)
      controller.addAction(UIAlertAction(title: "Ok", style: .default, handler: nil))
      self.present(controller, animated: true, completion: nil)
    }
  }
}

extension ChatViewController: OTSessionDelegate {
  func sessionDidConnect(_ session: OTSession) {
    log.append("connected")
    doPublish()
  }

  func sessionDidDisconnect(_ session: OTSession) { log.append("disconnected") }

  func session(_ session: OTSession, streamCreated stream: OTStream) {
    log.append("stream")
    if subscriber == nil { doSubscribe(stream) }
  }

  func session(_ session: OTSession, streamDestroyed stream: OTStream) {
    if let current = subscriber?.stream, current.streamId == stream.streamId { cleanupSubscriber() }
  }

  func session(_ session: OTSession, didFailWithError error: OTError) { log.append("failed \(error.code)") }
}

extension ChatViewController: OTPublisherDelegate {
  func publisher(_ publisher: OTPublisherKit, streamCreated stream: OTStream) { log.append("published") }
  func publisher(_ publisher: OTPublisherKit, streamDestroyed stream: OTStream) {}
  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) { log.append("\(error.code)") }
}

extension ChatViewController: OTSubscriberDelegate {
  func subscriberDidConnect(toStream subscriberKit: OTSubscriberKit) {
    guard let subsView = subscriber?.view else { return }
    subsView.frame = CGRect(x: 0, y: 240, width: 320, height: 240)
    view.addSubview(subsView)
  }

  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) { log.append("\(error.code)") }
}

/// An app's object that keeps a call and isn't a screen.
class CallManager: NSObject, OTSessionDelegate, OTSubscriberKitDelegate {
  static let shared = CallManager()
  var session: OTSession?
  var subscriber: OTSubscriber?
  var container: UIView?
  var onEnd: ((Error?) -> Void)?

  func start(apiKey: String, sessionId: String, token: String, in container: UIView) {
    self.container = container
    session = OTSession(apiKey: apiKey, sessionId: sessionId, delegate: self)
    session?.connect(withToken: token, error: nil)
  }

  func end() { session?.disconnect(nil) }

  func sessionDidConnect(_ session: OTSession) {}
  func sessionDidDisconnect(_ session: OTSession) { onEnd?(nil) }
  func session(_ session: OTSession, didFailWithError error: OTError) { onEnd?(error) }

  func session(_ session: OTSession, streamCreated stream: OTStream) {
    subscriber = OTSubscriber(stream: stream, delegate: self)
    session.subscribe(subscriber!, error: nil)
  }

  func subscriberDidConnect(toStream subscriber: OTSubscriberKit) {
    guard let picture = self.subscriber?.view, let container = container else { return }
    picture.frame = container.bounds
    picture.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    container.addSubview(picture)
  }

  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) { onEnd?(error) }
}
