public import Basics
public import RTC

/// What participants send, and the slots that carry it to others.
extension Router {
  /// Adds what `member` sends in a negotiated media section (role `receive`).
  public func publish(
    _ id: PublicationID, media: NegotiatedMedia, isMuted: Bool, isScreenShare: Bool = false, isEncrypted: Bool = false,
    by member: Member
  ) -> Publication {
    // Who came back here before another router is known to have lost them.
    if let before = publicationsByID[id] { end(before) }
    let publication = Publication(
      id: id, participant: member.index, media: media, isMuted: isMuted, isScreenShare: isScreenShare,
      isEncrypted: isEncrypted)
    enter(publication, speaker: member.index)
    member.ingress.add(publication)
    demandChanged(publication)
    return publication
  }

  /// Takes over a new negotiation of a publication's section.
  public func renegotiate(_ publication: Publication, media: NegotiatedMedia, by member: Member) {
    member.ingress.renegotiate(publication, media)
    announce(publication)
  }

  /// Ends a publication; slots that carried it are empty afterwards.
  public func unpublish(_ publication: Publication, of member: Member) {
    member.ingress.remove(publication)
    unpublish(publication)
  }

  func register(_ publication: Publication) { publicationsByID[publication.id] = publication }

  func unpublish(_ publication: Publication) {
    for subscription in publication.subscriptions { subscription.attach(nil) }
    publication.removeSubscriptions { _ in true }
    discardPending(of: publication)
    removeVoice(of: publication)
    dropBacklog(of: publication)
    withdraw(publication)
    publication.streams = []
    unsettled.removeAll { $0 === publication }
    if publicationsByID[publication.id] === publication {
      publicationsByID[publication.id] = nil
      removeEvents(of: publication.id)
    }
  }

  /// The publication of this id.
  public func publication(_ id: PublicationID) -> Publication? { publicationsByID[id] }

  /// Mutes or unmutes a publication. While it is muted nothing of it is forwarded.
  public func setMuted(_ muted: Bool, _ publication: Publication) {
    guard publication.isMuted != muted else { return }
    publication.isMuted = muted
    if muted {
      discardPending(of: publication)
      dropBacklog(of: publication)
      silenceVoice(of: publication)
    } else {
      for subscription in publication.subscriptions { subscription.interrupt() }
      keyframeWanted(of: publication)
    }
    announceMute(of: publication)
  }

  /// Adds a slot of `member` (a negotiated media section of role `send`); nil when the section has no source of ours.
  public func addSlot(_ media: NegotiatedMedia, of member: Member) -> Subscription? {
    guard let source = media.localSource else { return nil }
    let subscription = Subscription(media: media, source: source, egress: member.egress, random: &random)
    member.egress.add(subscription)
    return subscription
  }

  /// Takes over a new negotiation of a slot's section.
  public func renegotiate(_ subscription: Subscription, media: NegotiatedMedia) {
    let tookDescriptors = subscription.takesDescriptors
    subscription.renegotiate(media)
    guard subscription.takesDescriptors != tookDescriptors, let publication = subscription.publication else { return }
    // Without descriptors only the smallest layer can be told from the others.
    subscription.reconsider()
    if subscription.takesDescriptors, publication.streams.contains(where: { $0.described != nil }) {
      // They say nothing before the structure that comes with a keyframe.
      subscription.requestKeyframe(urgent: true)
    }
    wishChanged(subscription)
  }

  public func removeSlot(_ subscription: Subscription) {
    cancelAwaiting(subscription)
    detach(subscription)
    subscription.egress.remove(subscription)
  }

  /// Empties a slot whose section sends nothing for now. It stays, since its SSRC does: a slot that was made anew would
  /// use numbers a second time with one key (RFC 7714 section 8.1).
  public func rest(_ subscription: Subscription) {
    setFollowsLoudest(false, subscription)
    cancelAwaiting(subscription)
    detach(subscription)
  }

  /// Lets a slot carry `publication`; false when the receiver can take none of its formats, or the kind differs.
  @discardableResult
  public func attach(_ publication: Publication, to subscription: Subscription) -> Bool {
    guard publication.media.kind == subscription.media.kind else { return false }
    cancelAwaiting(subscription)
    if subscription.publication === publication { return true }
    detach(subscription)
    subscription.attach(publication)
    guard subscription.isCompatible else {
      subscription.attach(nil)
      return false
    }
    publication.add(subscription)
    demandChanged(publication)
    allocateSoon(subscription)
    keyframeWanted(of: publication)
    return true
  }

  public func detach(_ subscription: Subscription) {
    guard let publication = subscription.publication else { return }
    publication.removeSubscriptions { $0 === subscription }
    subscription.attach(nil)
    demandChanged(publication)
  }

  /// Stops or continues what a slot carries.
  public func setPaused(_ paused: Bool, _ subscription: Subscription) {
    subscription.setPaused(paused)
    wishChanged(subscription)
  }

  /// From now on packets to `member` leave encrypted by `sender`: its connection is up.
  public func open(_ member: Member, sender: SRTPSender) {
    member.egress.open(sender)
    for subscription in member.egress.subscriptions {
      subscription.interrupt(asks: !subscription.startsWithKeyframe)
      if let publication = subscription.publication { keyframeWanted(of: publication) }
    }
    starting = starting + [member.egress]
  }

  /// Nothing leaves to `member` until it is opened again: consent was lost or the connection ended.
  public func close(_ member: Member) { member.egress.close() }
}
