-- SPDX-License-Identifier: Apache-2.0
-- Every table anew, with what a row of it must have, under the names of schema_12.sql; a row that has it not ends the
-- migration. word, content and blob are as they were. Numbers of runs that are gone are not given again.
DROP INDEX judgement_run;
DROP INDEX sighting_item;
DROP INDEX waiver_run;
DROP INDEX event_acceptance;
ALTER TABLE run RENAME TO old_run;
ALTER TABLE document RENAME TO old_document;
ALTER TABLE run_host RENAME TO old_run_host;
ALTER TABLE host_label RENAME TO old_host_label;
ALTER TABLE shape RENAME TO old_shape;
ALTER TABLE slot RENAME TO old_slot;
ALTER TABLE slot_limit RENAME TO old_slot_limit;
ALTER TABLE run_shape RENAME TO old_run_shape;
ALTER TABLE step RENAME TO old_step;
ALTER TABLE member RENAME TO old_member;
ALTER TABLE need RENAME TO old_need;
ALTER TABLE attempt RENAME TO old_attempt;
ALTER TABLE capture RENAME TO old_capture;
ALTER TABLE part RENAME TO old_part;
ALTER TABLE reading RENAME TO old_reading;
ALTER TABLE measurement RENAME TO old_measurement;
ALTER TABLE finding RENAME TO old_finding;
ALTER TABLE judgement RENAME TO old_judgement;
ALTER TABLE outcome RENAME TO old_outcome;
ALTER TABLE verdict RENAME TO old_verdict;
ALTER TABLE window RENAME TO old_window;
ALTER TABLE window_capture RENAME TO old_window_capture;
ALTER TABLE search RENAME TO old_search;
ALTER TABLE accusation RENAME TO old_accusation;
ALTER TABLE accusation_step RENAME TO old_accusation_step;
ALTER TABLE item RENAME TO old_item;
ALTER TABLE sighting RENAME TO old_sighting;
ALTER TABLE waiver RENAME TO old_waiver;
ALTER TABLE waived_item RENAME TO old_waived_item;
ALTER TABLE withdrawal RENAME TO old_withdrawal;
ALTER TABLE outcome_waiver RENAME TO old_outcome_waiver;
ALTER TABLE pseudonym RENAME TO old_pseudonym;
ALTER TABLE acceptance RENAME TO old_acceptance;
ALTER TABLE acceptance_document RENAME TO old_acceptance_document;
ALTER TABLE acceptance_run RENAME TO old_acceptance_run;
ALTER TABLE event RENAME TO old_event;
ALTER TABLE judgement_document RENAME TO old_judgement_document;
-- here: TABLES_12
DELETE FROM sqlite_sequence WHERE name='run';
UPDATE sqlite_sequence SET name='run' WHERE name='old_run';
INSERT INTO
    run(id,uuid,state,started,ended,suite,suite_title,hostfile,program,controller_pid,controller_start,controller_host)
    SELECT
    id,uuid,state,started,ended,suite,suite_title,hostfile,program,controller_pid,controller_start,controller_host
    FROM old_run;
DROP TABLE old_run;
INSERT INTO document(run,n,kind,name,content) SELECT run,n,kind,name,content FROM old_document;
DROP TABLE old_document;
INSERT INTO
    run_host(run,n,name,address,mpi_address,user,identity,jump,known_hosts,platform,unit,rack,leaf,transport,slots,port,role,become_root,timescale,file_line,file_column)
    SELECT
    run,n,name,address,mpi_address,user,identity,jump,known_hosts,platform,unit,rack,leaf,transport,slots,port,role,become_root,timescale,file_line,file_column
    FROM old_run_host;
DROP TABLE old_run_host;
INSERT INTO host_label(run,host,n,key,value) SELECT run,host,n,key,value FROM old_host_label;
DROP TABLE old_host_label;
INSERT INTO
    shape(id,digest,sha256,check_name,suite_step,scope,platform,hosts,expected_s,timeout_s,retries,repeat,exclusivity,as_root,passive,variant,arguments,retests)
    SELECT
    id,digest,sha256,check_name,suite_step,scope,platform,hosts,expected_s,timeout_s,retries,repeat,exclusivity,as_root,passive,variant,arguments,retests
    FROM old_shape;
DROP TABLE old_shape;
INSERT INTO slot(shape,n,metric,subject,at,size_bytes,duty,duty_note) SELECT
    shape,n,metric,subject,at,size_bytes,duty,duty_note FROM old_slot;
DROP TABLE old_slot;
INSERT INTO
    slot_limit(shape,slot,n,metric,subject,scope,hosts_min,hosts_max,size_min,size_max,rule,value,text,tolerance,unit,source,status,note,inconclusive,most)
    SELECT
    shape,slot,n,metric,subject,scope,hosts_min,hosts_max,size_min,size_max,rule,value,text,tolerance,unit,source,status,note,inconclusive,most
    FROM old_slot_limit;
DROP TABLE old_slot_limit;
INSERT INTO run_shape(run,n,shape) SELECT run,n,shape FROM old_run_shape;
DROP TABLE old_run_shape;
INSERT INTO step(run,n,key,shape,origin,origin_note,parent,round) SELECT
    run,n,key,shape,origin,origin_note,parent,round FROM old_step;
DROP TABLE old_step;
INSERT INTO member(run,step,n,host) SELECT run,step,n,host FROM old_member;
DROP TABLE old_member;
INSERT INTO need(run,step,n,needs) SELECT run,step,n,needs FROM old_need;
DROP TABLE old_need;
INSERT INTO
    attempt(id,run,step,n,uuid,state,ending,rc,text,sent,began,ended,boot_id,up_began,up_ended,command,transport,connections)
    SELECT
    id,run,step,n,uuid,state,ending,rc,text,sent,began,ended,boot_id,up_began,up_ended,command,transport,connections
    FROM old_attempt;
DROP TABLE old_attempt;
INSERT INTO capture(attempt,stream,length,flooded,cut,content,clipped,tail,sha256) SELECT
    attempt,stream,length,flooded,cut,content,clipped,tail,sha256 FROM old_capture;
DROP TABLE old_capture;
INSERT INTO part(attempt,n,name,command,began,ended,rc,out_offset,out_length,err_offset,err_length,aside,window)
    SELECT attempt,n,name,command,began,ended,rc,out_offset,out_length,err_offset,err_length,aside,window FROM
    old_part;
DROP TABLE old_part;
INSERT INTO reading(id,attempt,n,part,parent,tool,status,reason) SELECT id,attempt,n,part,parent,tool,status,reason
    FROM old_reading;
DROP TABLE old_reading;
INSERT INTO measurement(reading,n,metric,subject,at,value,text,unit) SELECT
    reading,n,metric,subject,at,value,text,unit FROM old_measurement;
DROP TABLE old_measurement;
INSERT INTO finding(reading,n,code,subject,severity,text) SELECT reading,n,code,subject,severity,text FROM
    old_finding;
DROP TABLE old_finding;
INSERT INTO judgement(id,uuid,run,baselines,now,inputs) SELECT id,uuid,run,baselines,now,inputs FROM old_judgement;
DROP TABLE old_judgement;
INSERT INTO outcome(judgement,step,slot,word,cause,remedy,measured,value,limit_text,gate,source,status,remark)
    SELECT judgement,step,slot,word,cause,remedy,measured,value,limit_text,gate,source,status,remark FROM
    old_outcome;
DROP TABLE old_outcome;
INSERT INTO verdict(judgement,n,scope,name,word,pass,fail,inconclusive,not_run,recorded,accused,waived) SELECT
    judgement,n,scope,name,word,pass,fail,inconclusive,not_run,recorded,accused,waived FROM old_verdict;
DROP TABLE old_verdict;
INSERT INTO window(attempt,n,member,role,ending,rc,text,boot_id,began,ended,up_began,up_ended) SELECT
    attempt,n,member,role,ending,rc,text,boot_id,began,ended,up_began,up_ended FROM old_window;
DROP TABLE old_window;
INSERT INTO window_capture(attempt,window,stream,length,flooded,cut,content) SELECT
    attempt,window,stream,length,flooded,cut,content FROM old_window_capture;
DROP TABLE old_window_capture;
INSERT INTO search(judgement,n,step,metric,size_bytes,conclusion,candidates) SELECT
    judgement,n,step,metric,size_bytes,conclusion,candidates FROM old_search;
DROP TABLE old_search;
INSERT INTO accusation(judgement,n,step,kind,subject,place,intermittent,slow_tests,fast_tests,doubt) SELECT
    judgement,n,step,kind,subject,place,intermittent,slow_tests,fast_tests,doubt FROM old_accusation;
DROP TABLE old_accusation;
INSERT INTO accusation_step(judgement,accusation,n,step) SELECT judgement,accusation,n,step FROM
    old_accusation_step;
DROP TABLE old_accusation_step;
INSERT INTO item(id,kind,identity) SELECT id,kind,identity FROM old_item;
DROP TABLE old_item;
INSERT INTO sighting(attempt,host,position,item,serial) SELECT attempt,host,position,item,serial FROM old_sighting;
DROP TABLE old_sighting;
INSERT INTO waiver(uuid,run,step_key,attempt,who,why,made,until) SELECT uuid,run,step_key,attempt,who,why,made,until
    FROM old_waiver;
DROP TABLE old_waiver;
INSERT INTO waived_item(waiver,n,metric,subject,at,hardware) SELECT waiver,n,metric,subject,at,hardware FROM
    old_waived_item;
DROP TABLE old_waived_item;
INSERT INTO withdrawal(uuid,waiver,who,why,made) SELECT uuid,waiver,who,why,made FROM old_withdrawal;
DROP TABLE old_withdrawal;
INSERT INTO outcome_waiver(judgement,step,slot,waiver) SELECT judgement,step,slot,waiver FROM old_outcome_waiver;
DROP TABLE old_outcome_waiver;
INSERT INTO pseudonym(kind,name,n) SELECT kind,name,n FROM old_pseudonym;
DROP TABLE old_pseudonym;
INSERT INTO acceptance(id,uuid,name,made) SELECT id,uuid,name,made FROM old_acceptance;
DROP TABLE old_acceptance;
INSERT INTO acceptance_document(acceptance,n,kind,name,content) SELECT acceptance,n,kind,name,content FROM
    old_acceptance_document;
DROP TABLE old_acceptance_document;
INSERT INTO acceptance_run(acceptance,run,added) SELECT acceptance,run,added FROM old_acceptance_run;
DROP TABLE old_acceptance_run;
INSERT INTO event(uuid,acceptance,kind,host,item,spare,note,at,made) SELECT
    uuid,acceptance,kind,host,item,spare,note,at,made FROM old_event;
DROP TABLE old_event;
INSERT INTO judgement_document(judgement,n,kind,name,content) SELECT judgement,n,kind,name,content FROM
    old_judgement_document;
DROP TABLE old_judgement_document;
