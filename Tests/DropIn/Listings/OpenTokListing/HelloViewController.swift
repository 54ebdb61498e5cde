// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import OpenTok
import UIKit

/// The tutorial's screen in the spelling of version 1, and in its types: it knew no others than `OTPublisher` and
/// `OTSubscriber`.
class HelloViewController: UIViewController, OTSessionDelegate, OTPublisherDelegate, OTSubscriberDelegate {
  var kApiKey = ""
  var kSessionId = ""
  var kToken = "devtoken"
  var subscribeToSelf = true
  let widgetHeight: CGFloat = 240
  let widgetWidth: CGFloat = 320

  var session: OTSession!
  var publisher: OTPublisher!
  var subscriber: OTSubscriber!
  var alerts: [String] = []
  var log: [String] = []

  override func viewDidLoad() {
    super.viewDidLoad()
    session = OTSession(sessionId: kSessionId, andDelegate: self)
    doConnect()
  }

  func doConnect() {
    session.connect(withApiKey: kApiKey, token: kToken)
  }

  func doPublish() {
    publisher = OTPublisher(delegate: self)
    publisher.name = UIDevice.current.name
    session.publish(publisher)
    view.addSubview(publisher.view!)
    publisher.view!.frame = CGRect(x: 0, y: 0, width: widgetWidth, height: widgetHeight)
  }

  func updateSubscriber() {
    for (_, stream) in session.streams where stream.connection.connectionId != session.connection?.connectionId {
      subscriber = OTSubscriber(stream: stream, delegate: self)
      break
    }
  }

  func showAlert(_ string: String) {
    alerts.append(string)
    let alert = UIAlertView(
      title: "Message from video session", message: string, delegate: self, cancelButtonTitle: "OK")
    alert.show()
  }

  // MARK: - The session

  func sessionDidConnect(_ session: OTSession) {
    log.append("connected")
    doPublish()
  }

  func sessionDidDisconnect(_ session: OTSession) {
    showAlert("Session disconnected: \(session.sessionId)")
  }

  func session(_ session: OTSession, didReceive stream: OTStream) {
    log.append("received")
    let isOwn = stream.connection.connectionId == session.connection?.connectionId
    if subscriber == nil && isOwn == subscribeToSelf {
      subscriber = OTSubscriber(stream: stream, delegate: self)
    }
  }

  func session(_ session: OTSession, didDrop stream: OTStream) {
    log.append("dropped")
    if !subscribeToSelf && subscriber != nil && subscriber.stream?.streamId == stream.streamId {
      subscriber = nil
      updateSubscriber()
    }
  }

  func session(_ session: OTSession, didFailWithError error: OTError) {
    showAlert("There was an error connecting to session \(session.sessionId): \(error.code)")
  }

  // MARK: - The publisher

  func publisher(_ publisher: OTPublisher, didFailWithError error: OTError) {
    showAlert("There was an error publishing: \(error.code)")
  }

  func publisherDidStartStreaming(_ publisher: OTPublisher) {
    log.append("started \(publisher.stream?.streamId == session.streams.keys.first!)")
  }

  func publisherDidStopStreaming(_ publisher: OTPublisher) {
    log.append("stopped")
  }

  // MARK: - The subscriber

  func subscriberDidConnect(toStream subscriber: OTSubscriber) {
    log.append("subscribed \(subscriber.stream?.connection.connectionId == session.connection?.connectionId)")
    subscriber.view!.frame = CGRect(x: 0, y: widgetHeight, width: widgetWidth, height: widgetHeight)
    view.addSubview(subscriber.view!)
  }

  func subscriberVideoDataReceived(_ subscriber: OTSubscriber) {
    log.append("picture")
  }

  func subscriber(_ subscriber: OTSubscriber, didFailWithError error: OTError) {
    showAlert("There was an error subscribing to stream \(subscriber.stream!.streamId): \(error.code)")
  }
}

extension HelloViewController: UIAlertViewDelegate {}
