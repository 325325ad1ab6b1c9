"""The shell around the log: one storage, a clock, ids, commits, hooks and handles."""

from rooms.lobby.answers import Invitation, Message, Page, Posted, Report, Wake
from rooms.lobby.auditing import Audited, AuditPage
from rooms.lobby.file_values import Attachment, AttachmentPage, File, History, Revision
from rooms.lobby.files import Files
from rooms.lobby.handles import Agent, Claim, Conversation, Person
from rooms.lobby.idling import Dropped
from rooms.lobby.lobby import Lobby
from rooms.lobby.restarting import PlannedRestart
from rooms.lobby.room import Room
from rooms.lobby.turns import Turn
from rooms.lobby.views.figures import Figures
from rooms.lobby.views.listing import ListedRoom, RoomList
from rooms.lobby.views.participating import AgentInRoom, Participants, SeatInRoom
from rooms.lobby.windows import Places, Windows

__all__ = [
    "Agent",
    "AgentInRoom",
    "Attachment",
    "AttachmentPage",
    "AuditPage",
    "Audited",
    "Claim",
    "Conversation",
    "Dropped",
    "Figures",
    "File",
    "Files",
    "History",
    "Invitation",
    "ListedRoom",
    "Lobby",
    "Message",
    "Page",
    "Participants",
    "Person",
    "Places",
    "PlannedRestart",
    "Posted",
    "Report",
    "Revision",
    "Room",
    "RoomList",
    "SeatInRoom",
    "Turn",
    "Wake",
    "Windows",
]
