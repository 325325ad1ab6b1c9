"""The shell around the log: one storage, a clock, ids, commits, hooks and handles."""

from rooms.lobby.access.auditing import Audited, AuditPage
from rooms.lobby.access.credentials import Credentials
from rooms.lobby.access.owning import DeletedRoom
from rooms.lobby.access.resting import Rested
from rooms.lobby.answers import Invitation, Message, Page, Posted, Report, Wake
from rooms.lobby.contents import Contents, KeptContent, KeptContents, Uploaded, Usage
from rooms.lobby.derived.gauges import Reading
from rooms.lobby.files.handle import Files
from rooms.lobby.files.values import Attachment, AttachmentPage, File, History, Revision
from rooms.lobby.handles import Agent, Conversation, Person
from rooms.lobby.inbox import (
    Acknowledged,
    Checkpoint,
    Context,
    Delivery,
    Header,
    Inbox,
    InboxPage,
    Mail,
    Receipt,
    ReceiptPage,
    Reconciliation,
    Remembered,
    SavedCheckpoint,
    SeenHeader,
    ToCome,
)
from rooms.lobby.keeping.sweeping import Swept
from rooms.lobby.lobby import Lobby
from rooms.lobby.memory import Memory
from rooms.lobby.posting.windows import Places, Windows
from rooms.lobby.pushing.values import Push, PushHeader, ReceiptPush
from rooms.lobby.room import Room
from rooms.lobby.runtimes import Bootstrap, Claim
from rooms.lobby.runtimes.session import Session
from rooms.lobby.schedules.handle import Schedules
from rooms.lobby.schedules.values import Cancelled, Schedule, Scheduled, WaitingMessage
from rooms.lobby.team.member import Member
from rooms.lobby.team.person import Team, Teams
from rooms.lobby.views.agents import ListedAgent
from rooms.lobby.views.figures import Figures
from rooms.lobby.views.listing import ListedRoom, RoomList
from rooms.lobby.views.participating import AgentInRoom, Participants, SeatInRoom
from rooms.lobby.waking.idling import Dropped
from rooms.lobby.waking.restarting import PlannedRestart
from rooms.lobby.waking.turns import Turn
from rooms.lobby.working.reporting import Work
from rooms.lobby.working.statuses import OwnerRequests, Status
from rooms.lobby.working.strips import Strip
from rooms.lobby.working.telling import Stop, Stops

__all__ = [
    "Acknowledged",
    "Agent",
    "AgentInRoom",
    "Attachment",
    "AttachmentPage",
    "AuditPage",
    "Audited",
    "Bootstrap",
    "Cancelled",
    "Checkpoint",
    "Claim",
    "Contents",
    "Context",
    "Conversation",
    "Credentials",
    "DeletedRoom",
    "Delivery",
    "Dropped",
    "Figures",
    "File",
    "Files",
    "Header",
    "History",
    "Inbox",
    "InboxPage",
    "Invitation",
    "KeptContent",
    "KeptContents",
    "ListedAgent",
    "ListedRoom",
    "Lobby",
    "Mail",
    "Member",
    "Memory",
    "Message",
    "OwnerRequests",
    "Page",
    "Participants",
    "Person",
    "Places",
    "PlannedRestart",
    "Posted",
    "Push",
    "PushHeader",
    "Reading",
    "Receipt",
    "ReceiptPage",
    "ReceiptPush",
    "Reconciliation",
    "Remembered",
    "Report",
    "Rested",
    "Revision",
    "Room",
    "RoomList",
    "SavedCheckpoint",
    "Schedule",
    "Scheduled",
    "Schedules",
    "SeatInRoom",
    "SeenHeader",
    "Session",
    "Status",
    "Stop",
    "Stops",
    "Strip",
    "Swept",
    "Team",
    "Teams",
    "ToCome",
    "Turn",
    "Uploaded",
    "Usage",
    "WaitingMessage",
    "Wake",
    "Windows",
    "Work",
]
